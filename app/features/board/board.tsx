import clsx from "clsx";
import {
  lazy,
  type ReactElement,
  type RefObject,
  Suspense,
  useEffect,
  useReducer,
  useRef,
  useState,
} from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { SelectingButton, usePointerSelection } from "~/features/items/pointer-selection";
import { useChanges } from "~/features/items/use-changes";
import { Kbd } from "~/ui/badge";
import { useLinkArea } from "~/ui/link-area";
import { useRowKeys } from "~/ui/page-keys";
import { useLocalMutation } from "~/ui/use-local-mutation";
import { useWriteAccess } from "~/ui/write-access";
import type { CardTask, DropTarget, Lane } from "./board-settings";
import { ColumnName } from "./column-name";
import { type Column, columns } from "./columns";
import { Lanes, useAddressAhead } from "./lanes";
import { MoveMenu } from "./move-menu";
import { useCards } from "./use-cards";
import { useOptimisticTasks, useTaskMoves } from "./use-task-moves";

/** Moving by pointer, thumb and keys comes after the page. */
const BoardMoves = lazy(() => import("./moving/board-moves"));

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
  const [dropTarget, setDropTarget] = useState<DropTarget | null>(null);
  const board = useRef<HTMLElement>(null);
  const tasks = useOptimisticTasks(useSteadyCards(saved, board));
  const [menuOf, setMenuOf] = useState<string | null>(null);
  const address = useAddressAhead();
  const { canWrite } = useWriteAccess();
  const hydrated = useHydrated();
  const follow = useLinkArea();
  useRowKeys();

  const card = useCards(productId, saved, dropTarget, move);
  const cell = (column: Column, lane?: Lane) => (
    <BoardColumn key={column.status} {...{ column, lane, tasks, dropTarget, card }} />
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
      {canWrite && !dropTarget?.moving ? (
        <div className="mb-2 flex items-center justify-between gap-2">
          <BoardHints hydrated={hydrated} />
          <SelectingButton isSelecting={isSelecting} onChange={setSelecting} />
        </div>
      ) : null}
      {hydrated ? (
        <>
          <MoveMenu task={tasks.find(({ id }) => id === menuOf)} onMove={move} />
          <Suspense>
            <BoardMoves {...{ board, tasks, lanes, move, change, onDropTarget: setDropTarget }} />
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
          <Lanes {...{ lanes, tasks, dropTarget, address, cell }} />
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
  const isOwn = useLocalMutation();
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
    const onHand = ({ buttons }: PointerEvent) => {
      isAtHand.current = true;
      clearTimeout(timer);
      // What is pressed is let go with an event of its own, wherever that is.
      if (buttons === 0) timer = setTimeout(rest, restMs);
    };
    const onLetGo = (event: PointerEvent) => isAtHand.current && onHand(event);
    const watching = new AbortController();
    const { signal } = watching;
    element?.addEventListener("pointermove", onHand, { passive: true, signal });
    element?.addEventListener("pointerdown", onHand, { passive: true, signal });
    window.addEventListener("pointerup", onLetGo, { passive: true, signal });
    window.addEventListener("pointercancel", onLetGo, { passive: true, signal });
    return () => {
      clearTimeout(timer);
      watching.abort();
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

/** The cards of one status, of the whole board or of a lane. */
function BoardColumn({
  column: { status, label },
  lane,
  tasks,
  dropTarget,
  card,
}: {
  column: Column;
  lane: Lane | undefined;
  tasks: readonly CardTask[];
  dropTarget: DropTarget | null;
  card: (task: CardTask) => ReactElement;
}) {
  const cards = tasks.filter((task) => task.status === status && task.group === lane?.key);
  const Heading = lane ? "h3" : "h2";
  const isDropTarget = dropTarget?.status === status && dropTarget.lane === (lane?.key ?? null);
  return (
    <section
      role={lane ? "group" : undefined}
      aria-label={`${label}: ${cards.length}`}
      data-column={status}
      data-drop-target={isDropTarget || undefined}
      className="column"
    >
      <Heading className="column-head">
        <ColumnName status={status} label={label} />
        <span className="font-normal text-muted">{cards.length}</span>
      </Heading>
      <ul className="column-cards">{cards.map(card)}</ul>
    </section>
  );
}
