import { useEffect, useMemo, useState } from "react";
import { activeRow, focusAfterDrawing, itemOf } from "~/features/items/active-row";
import { runItemAction } from "~/features/items/item-actions";
import { selectedItems } from "~/features/items/selection";
import { Kbd } from "~/ui/badge";
import { type PageKey, usePageKeys } from "~/ui/page-keys";
import { useWriteAccess } from "~/ui/write-access";
import { type CardTask, columnLabel, type DropTarget, type Lane, movableColumns } from "./board-settings";
import { laneField } from "./use-task-moves";

type Moving = { id: string; code: string; status: string; lane: string | null };

interface KeyboardMove {
  tasks: readonly CardTask[];
  lanes: readonly Lane[] | undefined;
  outcome: (items: readonly string[], position: BoardPosition) => ReturnType<typeof placing>;
  drop: (items: readonly string[], position: BoardPosition) => void;
  move: (task: CardTask, status: string) => void;
  change: (items: readonly string[], fields: { status: string }) => void;
  onDropTarget: (dropTarget: DropTarget | null) => void;
}

/** A visible mode: `m` starts it, arrows choose, Enter drops, Esc cancels. Returns the line that shows the mode. */
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

  const preview = moving ? outcome([`task:${moving.id}`], moving) : null;
  const says = preview && (preview.refusal ?? preview.says);
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
      // Enter on a refused place does nothing: the mode's line shows why.
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

/** `m` moves the highlighted card; numbers put it into a column. Both apply to the selection if there is one. */
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

type MovingTextProps = { moving: Moving; lanes: readonly Lane[] | undefined; says: string | null };

/** Where the card would go, and the keys that choose, drop and cancel. */
function MovingText({ moving, lanes, says }: MovingTextProps) {
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

/** Returns the next place in the arrow's direction, or null for keys that do nothing here. */
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

function showDropTarget() {
  requestAnimationFrame(() =>
    document.querySelector("[data-drop-target]")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
  );
}

/** The card is re-rendered in its column; focus follows it. */
function refocus(taskId: string) {
  focusAfterDrawing(() => document.querySelector<HTMLElement>(`[data-task-id="${taskId}"]`));
}

export interface BoardPosition {
  /** Null on a lane's heading: the card keeps its column. */
  status: string | null;
  lane: string | null;
}

/** Returns the place this element belongs to, or null outside of the board's columns and lanes. */
export function positionAt(element: Element | null | undefined): BoardPosition | null {
  const column = element?.closest<HTMLElement>("[data-column]");
  const lane = element?.closest<HTMLElement>("[data-lane]")?.dataset.lane ?? null;
  if (!column && lane === null) return null;
  return { status: column?.dataset.column ?? null, lane };
}

type Placing =
  | { refusal: string }
  | {
      refusal: null;
      /** Side effects of the drop that the user does not see. */
      says: string | null;
      /** Empty if nothing would change. */
      fields: Readonly<Record<string, string>>;
    };

/** Returns what moving these cards there would change, or why it is refused, before anything is dropped. */
export function placing(
  cards: readonly CardTask[],
  { status, lane: key }: BoardPosition,
  tasks: readonly CardTask[],
  lanes: readonly Lane[] = [],
): Placing {
  if (status === "failed") return { refusal: "Only a failed job can move a task to Failed" };
  const fields: Record<string, string> = {};
  const others = cards.filter((card) => status !== null && card.status !== status);
  if (status !== null && others.length > 0) fields.status = status;
  const strangers = cards.filter(({ group }) => key !== null && group !== key);
  if (strangers.length === 0) return { refusal: null, says: null, fields };
  const lane = lanes.find((known) => known.key === key);
  if (!lane?.sets) return { refusal: "Workers claim tasks; you cannot assign one to a worker" };
  const says = lane.sets.assignee_id === undefined ? null : wholeStories(strangers, tasks, lane);
  return { refusal: null, says, fields: { ...fields, ...lane.sets, [laneField]: lane.key } };
}

/** Assigning a task assigns its story. Returns a warning if that affects more tasks than the ones being moved. */
function wholeStories(cards: readonly CardTask[], tasks: readonly CardTask[], { label, sets }: Lane): string | null {
  const codes = [...new Set(cards.map(({ story_code }) => story_code))];
  const along = tasks.filter(({ story_code }) => codes.includes(story_code)).length;
  if (along <= cards.length) return null;
  return `All ${along} tasks of ${codes.join(", ")} ${sets?.assignee_id === "" ? "become unassigned" : `are assigned to ${label}`}`;
}
