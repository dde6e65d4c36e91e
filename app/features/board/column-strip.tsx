import { type RefObject, useEffect, useRef } from "react";
import { type CardTask, columnOfWork, columns } from "./board-settings";

/** Shown on phones, where one column is visible: the card count of every column, and buttons that scroll to it. */
export default function ColumnStrip({ board, tasks }: { board: RefObject<HTMLElement>; tasks: readonly CardTask[] }) {
  const first = columnOfWork(tasks);
  // The board opens where it was left, otherwise at the column with work, and does not scroll by itself afterwards.
  const opensAt = useRef(first);
  useEffect(() => {
    const scroller = scrollerOf(board.current);
    const place = places.get(location.pathname);
    if (place !== undefined) scroller?.scrollTo({ left: place, behavior: "instant" });
    else if (opensAt.current) showColumn(board.current, opensAt.current);
    const letGo = scroller && pullByMouse(scroller);
    const unmark = markShownColumn(board.current);
    return () => {
      letGo?.();
      unmark?.();
    };
  }, [board]);
  return (
    <nav aria-label="Columns" className="flex gap-1">
      {columns.map(({ status, label }) => {
        const count = tasks.filter((task) => task.status === status).length;
        return (
          <button
            key={status}
            type="button"
            data-strip={status}
            aria-label={`Show ${label}: ${count}`}
            onClick={() => showColumn(board.current, status)}
          >
            {label} <span className="font-normal">{count}</span>
          </button>
        );
      })}
    </nav>
  );
}

const places = new Map<string, number>();

/** Keeps where the board is, and scrolls it by dragging its empty space. Touch does that by itself. */
function pullByMouse(scroller: HTMLElement): () => void {
  const following = new AbortController();
  const { signal } = following;
  const { pathname } = location;
  scroller.addEventListener("scroll", () => places.set(pathname, scroller.scrollLeft), { passive: true, signal });
  const onDown = ({ target, button, pointerType, pointerId }: PointerEvent) => {
    const isEmpty = target instanceof Element && !target.closest("[data-drag], a, button, form");
    if (!isEmpty || button !== 0 || pointerType !== "mouse") return;
    scroller.setPointerCapture(pointerId);
    scroller.dataset.pulled = "";
  };
  scroller.addEventListener("pointerdown", onDown, { signal });
  scroller.addEventListener(
    "pointermove",
    ({ movementX }) => scroller.dataset.pulled === "" && scroller.scrollBy(-movementX, 0),
    { signal },
  );
  scroller.addEventListener("lostpointercapture", () => delete scroller.dataset.pulled, { signal });
  return () => following.abort();
}

const scrollerOf = (board: HTMLElement | null) => board?.querySelector<HTMLElement>("[data-columns]");

function showColumn(board: HTMLElement | null, status: string) {
  const scroller = scrollerOf(board);
  const column = scroller?.querySelector<HTMLElement>(`[data-column="${status}"]`);
  if (!scroller || !column) return;
  const { left, width } = column.getBoundingClientRect();
  const { left: edge, width: sight } = scroller.getBoundingClientRect();
  scroller.scrollTo({ left: scroller.scrollLeft + left - edge - (sight - width) / 2, behavior: "instant" });
}

function markShownColumn(board: HTMLElement | null): (() => void) | undefined {
  const scroller = scrollerOf(board);
  if (!board || !scroller) return undefined;
  const watching = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const status = target.getAttribute("data-column") ?? "";
        const button = board.querySelector(`[data-strip="${status}"]`);
        if (isIntersecting) button?.setAttribute("aria-current", "true");
        else button?.removeAttribute("aria-current");
      }
    },
    { root: scroller, rootMargin: "0px -45%" },
  );
  for (const column of scroller.querySelectorAll("[data-column]")) watching.observe(column);
  return () => watching.disconnect();
}
