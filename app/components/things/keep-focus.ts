import { lineOf, linkOf, thingOf } from "./at-hand";

/**
 * A row that is drawn elsewhere, because its status, its parent or its place changed, loses the focus that is on it: when
 * the page is drawn and the focus is nowhere, and nobody clicked meanwhile, the same row gets it back.
 */
export function keepFocusOfRows(): () => void {
  let thing: string | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    thing = thingOf(lineOf(target));
  };
  const onPointer = () => {
    thing = null;
  };
  const observer = new MutationObserver(() => {
    if (thing === null || document.activeElement !== document.body) return;
    linkOf(thing)?.focus({ preventScroll: true });
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
