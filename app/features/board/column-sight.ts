const scrollerOf = (board: HTMLElement | null) =>
  board?.querySelector<HTMLElement>("[data-columns]");

/** Scrolls the board sideways to a column; the page itself does not scroll. */
export function showColumn(
  board: HTMLElement | null,
  status: string,
  behavior: ScrollBehavior = "instant",
) {
  const scroller = scrollerOf(board);
  const column = scroller?.querySelector<HTMLElement>(`[data-column="${status}"]`);
  if (!scroller || !column) return;
  const { left, width } = column.getBoundingClientRect();
  const { left: edge, width: sight } = scroller.getBoundingClientRect();
  scroller.scrollTo({ left: scroller.scrollLeft + left - edge - (sight - width) / 2, behavior });
}

/** Marks the button of the visible column in the strip. */
export function markShownColumn(board: HTMLElement | null): (() => void) | undefined {
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
