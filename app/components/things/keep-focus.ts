/**
 * A row that is drawn elsewhere, because its status, its parent or its place changed, loses the focus that is on it: when
 * the page is drawn and the focus is nowhere, and nobody clicked meanwhile, the same row gets it back.
 */
export function keepFocusOfRows(): () => void {
  let link: Element | null = null;
  let thing: string | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    const row = target instanceof Element ? target.closest("[data-line]") : null;
    link = row && target instanceof Element ? target : null;
    thing = row?.getAttribute("data-line") ?? null;
  };
  const onPointer = () => {
    link = null;
  };
  const observer = new MutationObserver(() => {
    if (link === null || document.activeElement !== document.body) return;
    const row = thing && document.querySelector(`[data-line="${CSS.escape(thing)}"]`);
    const again = row ? row.querySelector<HTMLElement>("[data-row]") : null;
    again?.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPointer);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPointer);
  };
}
