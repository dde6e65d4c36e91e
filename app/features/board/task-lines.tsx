import { lazy, Suspense } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { usePointerSelection, useSelected } from "~/features/items/selection";
import { useLinkArea } from "~/ui/link-area";
import { useRowKeys } from "~/ui/page-keys";
import { StatusPill } from "~/ui/status";
import { stateLine } from "../items/state-line";
import { type CardTask, foldedLanes, type Lane, useAddressAhead } from "./board-settings";
import { LaneHead } from "./lanes";

const LaneKeys = lazy(() => import("./lane-keys"));

/** A board as a list, for reading many tasks at once. Keys, menus and selection work as on cards; moving does not. */
export function TaskLines({ tasks, lanes }: { tasks: readonly CardTask[]; lanes: readonly Lane[] | undefined }) {
  const select = usePointerSelection();
  const follow = useLinkArea();
  const address = useAddressAhead();
  const folded = foldedLanes(address);
  const hydrated = useHydrated();
  useRowKeys();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <section
      aria-label="Tasks"
      className="rounded-lg border border-line bg-surface"
      onClick={(event) => select(event) || follow(event)}
    >
      {hydrated && lanes ? (
        <Suspense>
          <LaneKeys />
        </Suspense>
      ) : null}
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
    </section>
  );
}

function Lines({ tasks }: { tasks: readonly CardTask[] }) {
  const selected = useSelected();
  return (
    <ul className="divide-y divide-line/60">
      {tasks.map((task) => (
        <li key={task.id} data-line={`task:${task.id}`} data-marked={selected.has(`task:${task.id}`) || undefined}>
          <div className="flex min-h-9 items-center gap-2.5 px-3 py-1 text-sm hover:bg-sunken pointer-coarse:min-h-11">
            <span
              data-code
              data-toggle
              title="Select"
              className="w-14 shrink-0 cursor-default font-mono text-xs text-muted"
            >
              {task.code}
            </span>
            <a href={`/tasks/${task.id}`} data-row className="min-w-0 flex-1 truncate hover:underline">
              {task.title}
            </a>
            <State task={task} />
            <span className="text-xs text-muted max-sm:hidden">{task.worker_name ?? task.story_code}</span>
            <StatusPill status={task.status} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function State({ task }: { task: CardTask }) {
  const state = stateLine(task);
  if (!state) return null;
  return (
    <span className="line-state" data-tone={state.tone}>
      {state.text}
    </span>
  );
}
