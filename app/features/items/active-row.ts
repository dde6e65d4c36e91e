/** Rows and cards carry what they are about: `data-line="kind:id"`; the link in them carries `data-row`. */
export const lineOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;

/** The row under the mouse, as long as the mouse spoke last. */
let pointed: HTMLElement | null = null;
let orderOfPage: readonly string[] | null = null;

/** Follows mouse and focus: whichever moved last says which row is at hand. */
export function watchRows(): () => void {
  const onPointer = (event: PointerEvent) => {
    if (event.pointerType !== "mouse" || (event.movementX === 0 && event.movementY === 0)) return;
    pointed = lineOf(event.target);
  };
  const onFocus = () => {
    pointed = null;
  };
  const watching = new AbortController();
  const { signal } = watching;
  document.addEventListener("pointermove", onPointer, { passive: true, signal });
  document.addEventListener("focusin", onFocus, { signal });
  return () => {
    pointed = null;
    watching.abort();
  };
}

/** The highlighted row: under the mouse, or with the focus. */
export function activeRow(): HTMLElement | null {
  if (pointed?.isConnected && pointed.matches(":hover")) return pointed;
  return lineOf(document.activeElement) ?? document.querySelector<HTMLElement>("[data-page-line]");
}

/** The item of a row; or of the page, where no row is highlighted. */
export const itemOf = (row: HTMLElement | null): string | null =>
  row?.getAttribute("data-line") ?? row?.getAttribute("data-page-line") ?? null;

export const isPageItem = (row: HTMLElement | null): boolean =>
  row?.hasAttribute("data-page-line") ?? false;

/** A long list draws only what is near; it says itself what its order is. */
export function keepOrder(order: readonly string[] | null): void {
  orderOfPage = order;
}

export function orderOnPage(): readonly string[] {
  return (
    orderOfPage ??
    [...document.querySelectorAll("[data-line]")].map((row) => row.getAttribute("data-line") ?? "")
  );
}

/** The row of an item, where it is drawn. */
export const rowOf = (item: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-line="${CSS.escape(item)}"]`);

/** What takes the focus in the row of an item. */
export function linkOf(item: string | null): HTMLElement | null {
  return item ? (rowOf(item)?.querySelector<HTMLElement>("[data-row]") ?? null) : null;
}

/** Puts the focus on a row, also after it was drawn anew elsewhere. */
export function focusRow(item: string | null): void {
  const find = () => linkOf(item);
  find()?.focus();
  focusAfterDrawing(find);
}

/** Focus that drawing anew takes from the page comes back; focus that somebody has moved on meanwhile stays there. */
export function focusAfterDrawing(find: () => HTMLElement | null | undefined): void {
  const focus = () => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) find()?.focus();
  };
  requestAnimationFrame(() => requestAnimationFrame(focus));
}
