import { useLocation, useNavigation } from "@remix-run/react";
import clsx from "clsx";
import { lazy, Suspense, useRef, useState } from "react";
import { Kbd } from "~/components/badge";
import { useLinkArea } from "~/components/link-area";
import { useRowKeys } from "~/components/page-keys";
import { SelectingButton } from "~/components/things/selecting-button";
import { useChanges } from "~/components/things/use-changes";
import { usePointerSelection } from "~/components/things/use-pointer-selection";
import { useHydrated } from "~/components/use-hydrated";
import { useWriteAccess } from "~/components/write-access";
import type { CardTask } from "./board-cards";
import { BoardColumn } from "./board-column";
import type { Lane } from "./board-look";
import { type Column, columns } from "./columns";
import { Lanes } from "./lanes";
import { MoveMenu } from "./move-menu";
import { useCards } from "./use-cards";
import { useSteadyCards } from "./use-steady-cards";
import { useOptimisticTasks, useTaskMoves } from "./use-task-moves";

/** Moving by pointer, thumb and keys comes after the page. */
const BoardHands = lazy(() => import("./board-hands"));

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

  const { card, cardKey } = useCards(productId, saved, aim, move);
  const cell = (column: Column, lane?: Lane) => (
    <BoardColumn key={column.status} {...{ column, lane, tasks, aim, card, cardKey }} />
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

/** The address that the page is on its way to: what is folded is so at once. */
function useAddressAhead(): URLSearchParams {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  return new URLSearchParams(next?.pathname === pathname ? next.search : search);
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
