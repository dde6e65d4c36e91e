import { useEffect, useMemo, useState } from "react";
import { activeRow, focusAfterDrawing, itemOf } from "~/features/items/active-row";
import { runItemAction } from "~/features/items/keys/item-actions";
import { selectedItems } from "~/features/items/selection";
import { Kbd } from "~/ui/badge";
import { type PageKey, usePageKeys } from "~/ui/page-keys";
import { useWriteAccess } from "~/ui/write-access";
import type { CardTask, DropTarget, Lane } from "../board-settings";
import { columnLabel, movableColumns } from "../columns";
import type { Place, placing } from "./placing";

interface Moving {
  id: string;
  code: string;
  status: string;
  lane: string | null;
}

interface KeyboardMove {
  tasks: readonly CardTask[];
  lanes: readonly Lane[] | undefined;
  outcome: (items: readonly string[], place: Place) => ReturnType<typeof placing>;
  drop: (items: readonly string[], place: Place) => void;
  move: (task: CardTask, status: string) => void;
  change: (items: readonly string[], fields: { status: string }) => void;
  onDropTarget: (dropTarget: DropTarget | null) => void;
}

/**
 * Moving a card by keys is a mode of its own and says so: `m` on a card starts it, arrows choose column and lane,
 * Enter drops, Esc leaves everything as it was. Answers the line that says it.
 */
export function useKeyboardMove({
  tasks,
  lanes,
  outcome,
  drop,
  move,
  change,
  onDropTarget,
}: KeyboardMove): JSX.Element {
  const [moving, setMoving] = useState<Moving | null>(null);
  const [isReady, setReady] = useState(false);
  useBoardKeys({ tasks, move, change, onMoving: setMoving });

  const placed = moving ? outcome([`task:${moving.id}`], moving) : null;
  const says = placed && (placed.refusal ?? placed.says);
  useEffect(() => {
    if (!moving) return;
    onDropTarget({ status: moving.status, lane: moving.lane, says, moving: moving.id });
    return () => onDropTarget(null);
  }, [moving, says, onDropTarget]);
  useEffect(() => {
    if (moving) showDropTarget();
  }, [moving]);

  useEffect(() => {
    if (!moving) return;
    const onKey = (event: KeyboardEvent) => {
      const next = stepped(moving, event.key, lanes ?? []);
      if (!next && event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      if (next) return setMoving(next);
      const items = [`task:${moving.id}`];
      // A refused place is not left by Enter: its reason stands there.
      if (event.key === "Enter" && outcome(items, moving).refusal !== null) return;
      setMoving(null);
      if (event.key === "Enter") drop(items, moving);
      refocus(moving.id);
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [moving, lanes, outcome, drop]);

  useEffect(() => setReady(true), []);

  return (
    <p
      data-board-keys={isReady || undefined}
      aria-live="assertive"
      className={moving ? "mb-2 rounded bg-accent-soft px-3 py-1.5 text-sm" : "sr-only"}
    >
      {moving ? <MovingText moving={moving} lanes={lanes} says={says} /> : null}
    </p>
  );
}

/** `m` begins to move the card at hand, and numbers put it into a column; both mean the selection where there is one. */
function useBoardKeys({
  tasks,
  move,
  change,
  onMoving,
}: Pick<KeyboardMove, "tasks" | "move" | "change"> & { onMoving: (moving: Moving) => void }) {
  const { canWrite } = useWriteAccess();
  const keys = useMemo<PageKey[]>(
    () => [
      {
        keys: "m",
        label: "Move the focused card",
        run: () => {
          const selected = [...selectedItems()];
          if (selected.length > 0) return runItemAction("status", selected, activeRow());
          const task = focusedTask(tasks);
          if (!task || !canWrite) return;
          const { id, code, group: lane = null } = task;
          const status = task.status === "failed" ? "todo" : task.status;
          onMoving({ id, code, status, lane });
        },
      },
      ...movableColumns.map(({ status, label }, index) => ({
        keys: String(index + 1),
        label: `Focused card to ${label}`,
        run: () => {
          const selected = [...selectedItems()];
          if (selected.length > 0 && canWrite) return change(selected, { status });
          const task = focusedTask(tasks);
          if (!task || !canWrite) return;
          move(task, status);
          refocus(task.id);
        },
      })),
    ],
    [tasks, canWrite, move, change, onMoving],
  );
  usePageKeys("Board", keys);
}

/** Where the card would go, and the keys that choose, drop and leave. */
function MovingText({
  moving,
  lanes,
  says,
}: {
  moving: Moving;
  lanes: readonly Lane[] | undefined;
  says: string | null;
}) {
  const lane = lanes?.find(({ key }) => key === moving.lane);
  return (
    <>
      Moving <strong>{moving.code}</strong> to <strong>{columnLabel(moving.status)}</strong>
      {lane ? (
        <>
          {" "}
          in <strong>{lane.label}</strong>
        </>
      ) : null}
      {says ? ` (${says})` : null}: <Kbd>←</Kbd> <Kbd>→</Kbd> to choose the column,{" "}
      {lane ? (
        <>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> the lane,{" "}
        </>
      ) : null}
      <Kbd>Enter</Kbd> drops it, <Kbd>Esc</Kbd> leaves it.
    </>
  );
}

function focusedTask(tasks: readonly CardTask[]): CardTask | undefined {
  const item = itemOf(activeRow());
  return tasks.find((candidate) => `task:${candidate.id}` === item);
}

/** The place beside this one in the direction of the arrow; null for keys that are no arrows here. */
function stepped(moving: Moving, key: string, lanes: readonly Lane[]): Moving | null {
  const statuses = movableColumns.map(({ status }) => status);
  const keys = lanes.map((lane) => lane.key);
  if (key === "ArrowRight") return { ...moving, status: beside(statuses, moving.status, 1) };
  if (key === "ArrowLeft") return { ...moving, status: beside(statuses, moving.status, -1) };
  if (keys.length === 0) return null;
  if (key === "ArrowDown") return { ...moving, lane: beside(keys, moving.lane ?? "", 1) };
  if (key === "ArrowUp") return { ...moving, lane: beside(keys, moving.lane ?? "", -1) };
  return null;
}

function beside(all: readonly string[], one: string, step: number): string {
  const next = Math.min(Math.max(all.indexOf(one) + step, 0), all.length - 1);
  return all[next] ?? one;
}

/** Where the card would go is in sight, once it is marked. */
function showDropTarget() {
  requestAnimationFrame(() =>
    document
      .querySelector("[data-drop-target]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" }),
  );
}

/** The card is drawn anew in its column; focus follows it there. */
function refocus(taskId: string) {
  focusAfterDrawing(() => document.querySelector<HTMLElement>(`[data-task-id="${taskId}"]`));
}
