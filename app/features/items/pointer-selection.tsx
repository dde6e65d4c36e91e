import { type MouseEvent, useCallback, useEffect } from "react";
import { itemOf, lineOf } from "./active-row";
import { selectRange, setSelecting, toggleSelected, useSelecting } from "./selection";

/**
 * Selects with mouse and touch: Shift+click selects a range; in selecting mode a click selects the row instead of
 * opening it. Returns true if the click was used.
 */
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
