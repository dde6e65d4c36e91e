import { useSearchParams } from "@remix-run/react";
import clsx from "clsx";
import { type DragEvent, useCallback, useRef, useState } from "react";
import { Kbd } from "~/components/badge";
import { useLinkArea } from "~/components/link-area";
import { useRowKeys } from "~/components/page-keys";
import { statusLook } from "~/components/status";
import { StatusIcon } from "~/components/status-icon";
import { SelectingButton } from "~/components/things/selecting-button";
import { useSelected } from "~/components/things/selection";
import { readDragged, startThingDrag } from "~/components/things/thing-drag";
import { useChanges } from "~/components/things/use-changes";
import { usePointerSelection } from "~/components/things/use-pointer-selection";
import { useHydrated } from "~/components/use-hydrated";
import { useWriteAccess } from "~/components/write-access";
import { useDoing } from "~/live/use-doing";
import type { CardTask } from "./board-cards";
import { columnLabel, columns } from "./columns";
import { MoveMenu } from "./move-menu";
import { TaskCard } from "./task-card";
import { useChangedTasks } from "./use-changed-tasks";
import { useKeyboardMove } from "./use-keyboard-move";
import { useOptimisticTasks, useTaskMoves } from "./use-task-moves";
import { useTouchDrag } from "./use-touch-drag";

function startCardDrag(event: DragEvent): void {
  const card = event.target instanceof Element ? event.target.closest("[data-line]") : null;
  if (card) startThingDrag(event, card.getAttribute("data-line") ?? "");
}

function isHeld({ job_status }: CardTask): boolean {
  return job_status === "running" || job_status === "claimed";
}

/** Tasks by status. Cards move by dragging, by the menu on each card, and by keys; a refused move falls back alone. */
export function Board({
  productId,
  tasks: saved,
  dense = false,
  hide,
}: {
  productId: string;
  tasks: readonly CardTask[];
  /** Cards of a line or two. */
  dense?: boolean;
  /** Parts that its cards leave out. */
  hide?: string | undefined;
}) {
  const { move, trackers } = useTaskMoves();
  const { change, trackers: changeTrackers } = useChanges();
  const selected = useSelected();
  const [isSelecting, setSelecting] = useState(false);
  const select = usePointerSelection(isSelecting);
  const tasks = useOptimisticTasks(saved);
  const changed = useChangedTasks(saved);
  const moving = useKeyboardMove(tasks, move, change);
  const doing = useDoing(productId, saved.some(isHeld));
  const [over, setOver] = useState<string | null>(null);
  const board = useRef<HTMLElement>(null);
  const latest = useRef(tasks);
  latest.current = tasks;
  const [menuOf, setMenuOf] = useState<string | null>(null);
  const [params] = useSearchParams();
  const { canWrite } = useWriteAccess();
  const hydrated = useHydrated();
  const follow = useLinkArea();
  const asked = hydrated ? null : params.get("move");
  useRowKeys();

  const drop = useCallback(
    (things: readonly string[], status: string) => {
      if (things.length > 1) return change(things, { status });
      const task = latest.current.find(({ id }) => `task:${id}` === things[0]);
      if (task) move(task, status);
    },
    [move, change],
  );
  useTouchDrag(board, canWrite, { onOver: setOver, onDrop: drop });

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <section
      ref={board}
      aria-label="Board"
      onDragStart={startCardDrag}
      onClick={(event) => {
        const button = event.target instanceof Element && event.target.closest("[data-move]");
        if (button) setMenuOf(button.getAttribute("data-move"));
        else if (!select(event)) follow(event);
      }}
    >
      {trackers}
      {changeTrackers}
      {canWrite && !moving ? (
        <div className="mb-2 flex items-center justify-between gap-2">
          <BoardHints hydrated={hydrated} />
          <SelectingButton isSelecting={isSelecting} onChange={setSelecting} />
        </div>
      ) : null}
      {hydrated ? <MoveMenu task={tasks.find(({ id }) => id === menuOf)} onMove={move} /> : null}
      <p
        aria-live="assertive"
        className={moving ? "mb-2 rounded bg-accent-soft px-3 py-1.5 text-sm" : "sr-only"}
      >
        {moving ? (
          <>
            Moving <strong>{moving.code}</strong> to <strong>{columnLabel(moving.target)}</strong>:{" "}
            <Kbd>←</Kbd> <Kbd>→</Kbd> choose the column, <Kbd>Enter</Kbd> drops it, <Kbd>Esc</Kbd>{" "}
            leaves it.
          </>
        ) : null}
      </p>
      <div
        data-columns
        data-dense={dense || undefined}
        data-hide={hide || undefined}
        className="-mx-4 flex snap-x gap-3 overflow-x-auto px-4 pb-2 lg:mx-0 lg:grid lg:grid-cols-5 lg:px-0"
      >
        {columns.map(({ status, label }) => {
          const cards = tasks.filter((task) => task.status === status);
          const target = over === status || moving?.target === status;
          return (
            <section
              key={status}
              aria-label={`${label}: ${cards.length}`}
              onDragOver={(event) => {
                if (status === "failed") return;
                event.preventDefault();
                setOver(status);
              }}
              onDragLeave={() => setOver((current) => (current === status ? null : current))}
              data-column={status}
              onDrop={(event) => {
                event.preventDefault();
                setOver(null);
                drop(readDragged(event), status);
              }}
              className={clsx(
                "flex w-[82vw] max-w-80 shrink-0 snap-center flex-col rounded-lg border bg-sunken lg:w-auto lg:max-w-none lg:shrink",
                target ? "border-accent" : "border-transparent",
              )}
            >
              <h2 className="flex items-center gap-2 px-3 pt-2.5 pb-1.5 text-sm font-semibold">
                <StatusIcon tone={statusLook(status).tone} />
                {label}
                <span className="font-normal text-muted">{cards.length}</span>
              </h2>
              <ul className="grid content-start gap-2 p-2 lg:min-h-40">
                {cards.map((task, index) => (
                  <TaskCard
                    key={task.id}
                    heading={task.group === cards[index - 1]?.group ? undefined : task.group}
                    task={task}
                    doing={doing.get(task.id)}
                    draggable={canWrite}
                    asked={asked === task.id}
                    changed={changed.has(task.id)}
                    moving={moving?.id === task.id}
                    marked={selected.has(`task:${task.id}`)}
                    onMove={move}
                  />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </section>
  );
}

/** Moving by keys is a mode that has to be known before it can be used. */
function BoardHints({ hydrated }: { hydrated: boolean }) {
  return (
    <p className={clsx("text-xs text-muted", hydrated || "invisible")}>
      <span className="hidden keyboard:inline">
        Drag a card, or <Kbd>j</Kbd> <Kbd>k</Kbd> walk through them, <Kbd>m</Kbd> moves one,{" "}
        <Kbd>Space</Kbd> peeks, <Kbd>x</Kbd> selects, <Kbd>s</Kbd> <Kbd>p</Kbd> <Kbd>a</Kbd>{" "}
        <Kbd>e</Kbd> change it.
      </span>
      <span className="keyboard:hidden">Hold a card to drag it, or tap its arrow.</span>
    </p>
  );
}
