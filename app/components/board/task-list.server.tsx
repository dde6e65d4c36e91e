import { renderToStaticMarkup } from "react-dom/server";
import { Badge } from "~/components/badge";
import { StatusPill } from "~/components/status-pill";
import type { CardTask } from "./board-cards";
import { foldedLanes, type Lane } from "./board-look";
import { LaneHead } from "./lane-head";

/** The tasks of a board as lines, for reading many at once, written as text: they are opened here and moved on the board. */
export function listText(
  tasks: readonly CardTask[],
  lanes: readonly Lane[] | undefined,
  address: URLSearchParams,
): string {
  const folded = foldedLanes(address);
  return renderToStaticMarkup(
    <section aria-label="Tasks" className="rounded-lg border border-line bg-surface">
      {lanes ? (
        lanes.map((lane) => {
          const own = tasks.filter(({ group }) => group === lane.key);
          if (own.length === 0) return null;
          const isFolded = folded.includes(lane.key);
          return (
            <section key={lane.key} aria-label={lane.label} data-lane={lane.key}>
              <LaneHead lane={lane} tasks={own} isFolded={isFolded} address={address} />
              {isFolded ? null : <Lines tasks={own} />}
            </section>
          );
        })
      ) : (
        <Lines tasks={tasks} />
      )}
    </section>,
  );
}

function Lines({ tasks }: { tasks: readonly CardTask[] }) {
  return (
    <ul className="divide-y divide-line/60">
      {tasks.map((task) => (
        <li key={task.id} data-line={`task:${task.id}`}>
          <div className="flex min-h-9 items-center gap-2.5 px-3 py-1 text-sm hover:bg-sunken pointer-coarse:min-h-11">
            <span
              data-code
              data-toggle
              title="Select"
              className="w-14 shrink-0 cursor-default font-mono text-xs text-muted"
            >
              {task.code}
            </span>
            <a
              href={`/tasks/${task.id}`}
              data-row
              className="min-w-0 flex-1 truncate hover:underline"
            >
              {task.title}
            </a>
            {task.open_questions ? <Badge tone="waiting">waits for you</Badge> : null}
            <span className="text-xs text-muted max-sm:hidden">
              {task.worker_name ?? task.story_code}
            </span>
            <StatusPill status={task.status} />
          </div>
        </li>
      ))}
    </ul>
  );
}
