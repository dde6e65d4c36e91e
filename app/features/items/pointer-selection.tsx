import { type MouseEvent, useCallback, useEffect } from "react";
import { itemOf, lineOf } from "./active-row";
import { selectRange, setSelecting, toggleSelected, useSelecting } from "./selection";

/**
 * Selecting by pointer and thumb: Shift+click takes a range, and as long as the page is in its selecting mode a click
 * takes a row instead of opening it. True when the click was one of those.
 */
export function usePointerSelection(): (event: MouseEvent) => boolean {
  const isSelecting = useSelecting();
  // The next page begins without.
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
      // A click on a link with the shift key would open a window and mark text.
      window.getSelection()?.removeAllRanges();
      return true;
    },
    [isSelecting],
  );
}
