import clsx from "clsx";
import { lazy, type RefObject, Suspense, useEffect, useReducer, useRef, useState } from "react";
import { SelectingButton } from "~/features/items/selecting-button";
import { useChanges } from "~/features/items/use-changes";
import { usePointerSelection } from "~/features/items/use-pointer-selection";
import { Kbd } from "~/ui/badge";
import { useLinkArea } from "~/ui/link-area";
import { useRowKeys } from "~/ui/page-keys";
import { useHydrated } from "~/ui/use-hydrated";
import { useOwnChange } from "~/ui/use-own-change";
import { useWriteAccess } from "~/ui/write-access";
import { BoardColumn } from "./board-column";
import type { CardTask, Lane } from "./board-look";
import { type Column, columns } from "./columns";
import { Lanes } from "./lanes";
import { MoveMenu } from "./move-menu";
import { useAddressAhead } from "./use-address-ahead";
import { useCards } from "./use-cards";
import { useOptimisticTasks, useTaskMoves } from "./use-task-moves";

/** Moving by pointer, thumb and keys comes after the page. */
const BoardHands = lazy(() => import("./moving/board-hands"));

/** Where a card would go that is held by pointer, finger or keys. */
export interface Aim {
  /** Null: it keeps its own. */
  status: string | null;
  lane: string | null;
  /** What would become of it, or why it cannot go there. */
  says: string | null;
  /** The card that keys move; a pointer shows itself what it holds. */
  moving?: string;
}

/**
 * Tasks by status, and in lanes when they are grouped. Cards move by dragging, by the menu on each card, and by keys;
 * a refused move falls back alone.
 */
export function Board({
  productId,
  tasks: saved,
  lanes,
  dense = false,
  hide,
}: {
  productId: string;
  tasks: readonly CardTask[];
  lanes?: readonly Lane[] | undefined;
  /** Cards of a line or two. */
  dense?: boolean;
  /** Parts that its cards leave out. */
  hide?: string | undefined;
}) {
  const { move, trackers } = useTaskMoves();
  const { change, trackers: changeTrackers } = useChanges();
  const [isSelecting, setSelecting] = useState(false);
  const select = usePointerSelection(isSelecting);
  const [aim, setAim] = useState<Aim | null>(null);
  const board = useRef<HTMLElement>(null);
  const tasks = useOptimisticTasks(useSteadyCards(saved, board));
  const [menuOf, setMenuOf] = useState<string | null>(null);
  const address = useAddressAhead();
  const { canWrite } = useWriteAccess();
  const hydrated = useHydrated();
  const follow = useLinkArea();
  useRowKeys();

  const card = useCards(productId, saved, aim, move);
  const cell = (column: Column, lane?: Lane) => (
    <BoardColumn key={column.status} {...{ column, lane, tasks, aim, card }} />
  );

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <section
      ref={board}
      aria-label="Board"
      onClick={(event) => {
        const button = event.target instanceof Element && event.target.closest("[data-move]");
        if (button) setMenuOf(button.getAttribute("data-move"));
        else if (!select(event)) follow(event);
      }}
    >
      {trackers}
      {changeTrackers}
      {canWrite && !aim?.moving ? (
        <div className="mb-2 flex items-center justify-between gap-2">
          <BoardHints hydrated={hydrated} />
          <SelectingButton isSelecting={isSelecting} onChange={setSelecting} />
        </div>
      ) : null}
      {hydrated ? (
        <>
          <MoveMenu task={tasks.find(({ id }) => id === menuOf)} onMove={move} />
          <Suspense>
            <BoardHands {...{ board, tasks, lanes, move, change, onAim: setAim }} />
          </Suspense>
        </>
      ) : null}
      <div
        data-columns
        data-dense={dense || undefined}
        data-hide={hide || undefined}
        className={lanes ? "lanes" : "columns"}
      >
        {lanes ? (
          <Lanes {...{ lanes, tasks, aim, address, cell }} />
        ) : (
          columns.map((column) => cell(column))
        )}
      </div>
    </section>
  );
}

/** Moving by keys is a mode that has to be known before it can be used. */
function BoardHints({ hydrated }: { hydrated: boolean }) {
  return (
    <p className={clsx("text-xs text-muted", hydrated || "invisible")}>
      <span className="hidden keyboard:inline">
        Drag a card, or <Kbd>j</Kbd> <Kbd>k</Kbd> to go through cards, <Kbd>m</Kbd> to move,{" "}
        <Kbd>Space</Kbd> to peek, <Kbd>x</Kbd> to select, <Kbd>s</Kbd> <Kbd>p</Kbd> <Kbd>a</Kbd>{" "}
        <Kbd>e</Kbd> to edit.
      </span>
      <span className="keyboard:hidden">Hold a card to drag it, or tap its arrow.</span>
    </p>
  );
}

/** A pointer that has not moved for so long is about to press nothing. */
const restMs = 1000;

/**
 * The cards where they were, as long as a pointer moves over the board or presses: none jumps away from under a hand, or
 * under it. What a card says is always new, and what its user does shows at once.
 */
function useSteadyCards(
  tasks: readonly CardTask[],
  board: RefObject<HTMLElement>,
): readonly CardTask[] {
  const isOwn = useOwnChange();
  const isAtHand = useRef(false);
  const kept = useRef(tasks);
  const latest = useRef(tasks);
  latest.current = tasks;
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const element = board.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const rest = () => {
      isAtHand.current = false;
      if (kept.current !== latest.current) draw();
    };
    const onHand = (event: Event) => {
      isAtHand.current = true;
      clearTimeout(timer);
      // A drag ends with an event of its own, wherever that is.
      if (event.type !== "dragstart") timer = setTimeout(rest, restMs);
    };
    const events = ["pointermove", "pointerdown", "pointerup", "dragstart", "dragend", "drop"];
    for (const name of events) element?.addEventListener(name, onHand, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const name of events) element?.removeEventListener(name, onHand);
    };
  }, [board]);
  if (isOwn || !isAtHand.current) kept.current = tasks;
  if (kept.current === tasks) return tasks;
  const now = new Map(tasks.map((task) => [task.id, task]));
  return kept.current.flatMap(({ id, status, group }) => {
    const task = now.get(id);
    return task ? { ...task, status, group } : [];
  });
}
