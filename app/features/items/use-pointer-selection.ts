import { type MouseEvent, useCallback } from "react";
import { lineOf, thingOf } from "./at-hand";
import { selectRange, toggleSelected } from "./selection";

/**
 * Selecting by pointer and thumb: Shift+click takes a range, and as long as the page is in its selecting mode a click
 * takes a row instead of opening it. True when the click was one of those.
 */
export function usePointerSelection(isSelecting: boolean): (event: MouseEvent) => boolean {
  return useCallback(
    (event) => {
      const thing = thingOf(lineOf(event.target));
      if (!thing || event.button !== 0) return false;
      const toggles = event.target instanceof Element && event.target.closest("[data-toggle]");
      if (!event.shiftKey && !isSelecting && !toggles) return false;
      event.preventDefault();
      if (event.shiftKey) selectRange(thing);
      else toggleSelected(thing);
      // A click on a link with the shift key would open a window and mark text.
      window.getSelection()?.removeAllRanges();
      return true;
    },
    [isSelecting],
  );
}
