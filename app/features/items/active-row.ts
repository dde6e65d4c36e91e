/** Rows and cards carry their item in `data-line="kind:id"`; the link inside carries `data-row`. */
export const lineOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;

/** The row under the mouse, if the mouse moved after the last focus change. */
let pointed: HTMLElement | null = null;
let orderOfPage: readonly string[] | null = null;

/** Tracks mouse and focus: whichever moved last determines the highlighted row. */
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

/** Returns the highlighted row: under the mouse, or focused. */
export function activeRow(): HTMLElement | null {
  if (pointed?.isConnected && pointed.matches(":hover")) return pointed;
  return lineOf(document.activeElement) ?? document.querySelector<HTMLElement>("[data-page-line]");
}

/** Returns the row's item, or the page's item if no row is highlighted. */
export const itemOf = (row: HTMLElement | null): string | null =>
  row?.getAttribute("data-line") ?? row?.getAttribute("data-page-line") ?? null;

export const isPageItem = (row: HTMLElement | null): boolean => row?.hasAttribute("data-page-line") ?? false;

/** Sets the order of items. Virtualized lists need it because they render only nearby rows. */
export function keepOrder(order: readonly string[] | null): void {
  orderOfPage = order;
}

export function orderOnPage(): readonly string[] {
  return orderOfPage ?? [...document.querySelectorAll("[data-line]")].map((row) => row.getAttribute("data-line") ?? "");
}

export const rowOf = (item: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-line="${CSS.escape(item)}"]`);

/** Returns the focusable link in an item's row. */
export function linkOf(item: string | null): HTMLElement | null {
  return item ? (rowOf(item)?.querySelector<HTMLElement>("[data-row]") ?? null) : null;
}

/** Focuses a row, also after it is rendered again elsewhere. */
export function focusRow(item: string | null): void {
  const find = () => linkOf(item);
  find()?.focus();
  focusAfterDrawing(find);
}

/** Restores focus that a render removed. Focus that the user moved stays. */
export function focusAfterDrawing(find: () => HTMLElement | null | undefined): void {
  const focus = () => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) find()?.focus();
  };
  requestAnimationFrame(() => requestAnimationFrame(focus));
}

export const titleOf = (row: HTMLElement | null): string =>
  row?.querySelector("[data-row] [data-title]")?.textContent ??
  row?.querySelector("[data-row]")?.lastChild?.textContent ??
  "";

export const codeOf = (row: HTMLElement | null): string => row?.querySelector("[data-code]")?.textContent ?? "it";
