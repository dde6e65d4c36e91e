import { renderToStaticMarkup } from "react-dom/server";
import { Badge } from "~/components/badge";
import { StatusPill } from "~/components/status-pill";
import type { CardTask } from "./board-cards";

/** The tasks of a board as lines, for reading many at once, written as text: they are opened here and moved on the board. */
export function listText(tasks: readonly CardTask[]): string {
  return renderToStaticMarkup(
    <section aria-label="Tasks" className="rounded-lg border border-line bg-surface">
      <ul className="divide-y divide-line/60">
        {tasks.map((task, index) => (
          <li key={task.id} data-line={`task:${task.id}`}>
            {task.group && task.group !== tasks[index - 1]?.group ? (
              <h3 className="truncate bg-sunken px-3 py-1.5 text-xs font-semibold text-muted">
                {task.group}
              </h3>
            ) : null}
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
    </section>,
  );
}
