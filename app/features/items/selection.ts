import { type MouseEvent, useCallback, useEffect } from "react";
import { storeOf } from "~/ui/store";
import { itemOf, lineOf, orderOnPage } from "./active-row";

/** Selected items of this page, as `kind:id`. An external store, so that only affected rows render. */
const selected = storeOf<ReadonlySet<string>>(new Set());
export const selectedItems = selected.get;
export const useSelected = selected.use;
/** Start of a range selection, and what was selected before the range. */
let anchor: string | null = null;
let beforeRange: ReadonlySet<string> = new Set();

export function toggleSelected(item: string): void {
  const next = new Set(selected.get());
  if (!next.delete(item)) next.add(item);
  anchor = item;
  beforeRange = next;
  selected.set(next);
}

/** Selects from the last selected item to this one, in page order and of the anchor's kind, instead of the last range. */
export function selectRange(to: string): void {
  const order = orderOnPage();
  const from = anchor ?? to;
  const [first = 0, last = 0] = [order.indexOf(from), order.indexOf(to)].sort((a, b) => a - b);
  if (first === -1) {
    toggleSelected(to);
    return;
  }
  const between = ofKind(order.slice(first, last + 1), kindOf(from));
  selected.set(new Set([...beforeRange, ...between]));
}

export function selectAll(kind: string): void {
  selected.set(new Set(ofKind(orderOnPage(), kind)));
}

export function clearSelection(): void {
  anchor = null;
  beforeRange = new Set();
  if (selected.get().size > 0) selected.set(new Set());
}

/** Whether taps select rows instead of opening them. */
const selecting = storeOf(false);
export const useSelecting = selecting.use;

export function setSelecting(next: boolean): void {
  if (selecting.get() === next) return;
  if (!next) clearSelection();
  selecting.set(next);
}

/** Returns the kind in an item's name `kind:id`. */
export const kindOf = (item: string): string => item.split(":")[0] ?? "";

export const ofKind = (items: Iterable<string>, kind: string): string[] =>
  [...items].filter((item) => item.startsWith(`${kind}:`));

/** Shift+click selects a range; in selecting mode a click selects instead of opening. True if the click was used. */
export function usePointerSelection(): (event: MouseEvent) => boolean {
  const isSelecting = useSelecting();
  // Leaving the page ends selecting mode.
  useEffect(() => () => setSelecting(false), []);
  return useCallback(
    (event) => {
      const item = itemOf(lineOf(event.target));
      if (!item || event.button !== 0) return false;
      const toggles = event.target instanceof Element && event.target.closest("[data-toggle]");
      if (!event.shiftKey && !isSelecting && !toggles) return false;
      event.preventDefault();
      if (event.shiftKey) selectRange(item);
      else toggleSelected(item);
      // Shift+click would also select text.
      window.getSelection()?.removeAllRanges();
      return true;
    },
    [isSelecting],
  );
}
