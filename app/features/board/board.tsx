import {
  lazy,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useReducer,
  useRef,
  useState,
} from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { activeRow, itemOf } from "~/features/items/active-row";
import { usePointerSelection } from "~/features/items/selection";
import { useChanges } from "~/features/items/use-changes";
import { EmptyState } from "~/ui/empty-state";
import { useLinkArea } from "~/ui/link-area";
import { useRowKeys } from "~/ui/page-keys";
import { useLocalMutation } from "~/ui/use-local-mutation";
import { BoardColumn } from "./board-column";
import {
  type BoardSettings,
  type CardTask,
  type Column,
  columns,
  type DropTarget,
  type Lane,
  useAddressAhead,
  useColumnWidths,
} from "./board-settings";
import { Lanes } from "./lanes";
import { MoveMenu } from "./move-menu";
import { type CardStory, NewCard, type NewCardTarget } from "./new-card";
import { useCards } from "./task-card";
import { TaskLines } from "./task-lines";
import { useOptimisticTasks, useTaskMoves } from "./use-task-moves";

/** Moving by mouse, touch and keyboard loads after the page. */
const BoardMoves = lazy(() => import("./board-moves"));

const ColumnStrip = lazy(() => import("./column-strip"));

interface BoardProps {
  productId: string;
  userId: string;
  tasks: readonly CardTask[];
  stories: readonly CardStory[];
  lanes?: readonly Lane[] | undefined;
  /** Columns this person collapsed, separated by dots. */
  collapsed?: string;
  dense?: boolean;
  hide?: string | undefined;
}

/** The tasks of a page, as list or board, or why there are none. Without a reason the board is shown empty. */
export function ShownTasks({
  settings: { list, dense, hide },
  hasTasks,
  children,
  ...board
}: BoardProps & { settings: BoardSettings; hasTasks: boolean; children: ReactNode }) {
  if (board.tasks.length > 0 && list) return <TaskLines tasks={board.tasks} lanes={board.lanes} />;
  if (board.tasks.length > 0 || (!hasTasks && !children)) return <Board {...board} dense={dense} hide={hide} />;
  if (!hasTasks) return children;
  return (
    <EmptyState compact title="Nothing matches">
      Change or clear the filter.
    </EmptyState>
  );
}

/** The first picture waits for what follows the columns: each that came later would make the others narrower. */
export const boardLinks = () => [{ rel: "expect", href: "#after-columns", blocking: "render" }];

/** Cards move by dragging, by the menu on each, and by keys. A refused move reverts only its own card. */
function Board({ productId, userId, tasks: saved, stories, lanes, collapsed = "", dense = false, hide }: BoardProps) {
  const { move, trackers } = useTaskMoves();
  const { change, trackers: changeTrackers } = useChanges();
  const select = usePointerSelection();
  const [dropTarget, setDropTarget] = useState<DropTarget | null>(null);
  const board = useRef<HTMLElement>(null);
  const tasks = useOptimisticTasks(useSteadyCards(saved, board));
  const [menuOf, setMenuOf] = useState<string | null>(null);
  const address = useAddressAhead();
  const hydrated = useHydrated();
  const follow = useLinkArea();
  const { widthOf, toggle } = useColumnWidths(tasks, { productId, userId, collapsed });
  const newCard = useNewCard(address, tasks, stories);
  useRowKeys();

  const card = useCards(productId, saved, dropTarget, move);
  const cell = (column: Column, lane?: Lane) => (
    <BoardColumn
      key={column.status}
      column={column}
      lane={lane}
      tasks={tasks}
      dropTarget={dropTarget}
      card={card}
      address={address}
      width={widthOf(column.status)}
      takesNew={stories.length > 0}
    >
      {newCard.place?.status === column.status && newCard.place.lane === (lane?.key ?? null) ? (
        <NewCard key={newCard.place.storyId} target={newCard.place} stories={stories} onClose={newCard.close} />
      ) : null}
    </BoardColumn>
  );

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <section
      ref={board}
      aria-label="Board"
      onClick={(event) => {
        const { target } = event;
        const pressed = (mark: string) =>
          target instanceof Element ? target.closest(`[${mark}]`)?.getAttribute(mark) : undefined;
        const column = pressed("data-collapse");
        const moved = pressed("data-move");
        if (column) toggle(column);
        else if (moved) setMenuOf(moved);
        else if (!newCard.open(event) && !select(event)) follow(event);
      }}
    >
      {trackers}
      {changeTrackers}
      {hydrated ? (
        <>
          <MoveMenu task={tasks.find(({ id }) => id === menuOf)} onMove={move} />
          <Suspense>
            <BoardMoves
              board={board}
              tasks={tasks}
              lanes={lanes}
              move={move}
              change={change}
              onDropTarget={setDropTarget}
            />
          </Suspense>
        </>
      ) : null}
      <div className="column-strip">
        {hydrated ? (
          <Suspense>
            <ColumnStrip board={board} tasks={tasks} />
          </Suspense>
        ) : null}
      </div>
      <div
        data-columns
        data-dense={dense || undefined}
        data-hide={hide || undefined}
        className={lanes ? "lanes" : "columns"}
      >
        {lanes ? (
          <Lanes lanes={lanes} tasks={tasks} dropTarget={dropTarget} address={address} cell={cell} widthOf={widthOf} />
        ) : (
          columns.map((column) => cell(column))
        )}
      </div>
      <span id="after-columns" hidden />
    </section>
  );
}

/** Tracks the open new-card form. A plus button opens it, or `c`, which uses the highlighted card's column. */
function useNewCard(address: URLSearchParams, tasks: readonly CardTask[], stories: readonly CardStory[]) {
  const [target, setTarget] = useState<NewCardTarget | null>(() => targetIn(address));
  const opener = useRef<HTMLElement | null>(null);
  const open = (event: MouseEvent<HTMLElement>): boolean => {
    const { target } = event;
    const link = target instanceof Element ? target.closest<HTMLElement>("[data-new]") : null;
    if (!link || event.ctrlKey || event.metaKey) return false;
    event.preventDefault();
    const item = event.detail === 0 ? itemOf(activeRow()) : null;
    const near = tasks.find(({ id }) => item === `task:${id}`);
    opener.current = near ? null : link;
    const lane = (near ? near.group : link.dataset.newLane) ?? null;
    const ofLane = stories.find(({ code }) => code === lane)?.id;
    const ofCard = stories.find(({ code }) => code === near?.story_code)?.id;
    const status = near && near.status !== "failed" ? near.status : (link.dataset.new ?? "todo");
    setTarget({ status, lane, storyId: ofCard ?? ofLane });
    return true;
  };
  const close = () => {
    setTarget(null);
    opener.current?.focus();
  };
  return { place: target, open, close };
}

/** Without JavaScript, the address says where the form is open. */
function targetIn(address: URLSearchParams): NewCardTarget | null {
  const status = address.get("new");
  return status ? { status, lane: address.get("in"), storyId: undefined } : null;
}

/** A pointer that has been still for this long is not about to click. */
const restMs = 1000;

/** So that no card jumps from under a pointer. Content always updates, and the user's own changes show at once. */
function useSteadyCards(tasks: readonly CardTask[], board: RefObject<HTMLElement>): readonly CardTask[] {
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
      // Releasing the button fires its own event, wherever the pointer is then.
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
