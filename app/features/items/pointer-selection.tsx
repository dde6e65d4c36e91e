import { type MouseEvent, useCallback } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { Button } from "~/ui/button";
import { itemOf, lineOf } from "./active-row";
import { clearSelection, selectRange, toggleSelected } from "./selection";

/** Selecting by thumb: as long as it is pressed a tap takes a row instead of opening it. */
export function SelectingButton({
  isSelecting,
  onChange,
}: {
  isSelecting: boolean;
  onChange: (isSelecting: boolean) => void;
}) {
  const hydrated = useHydrated();
  if (!hydrated) return null;
  return (
    <Button
      tone="quiet"
      aria-pressed={isSelecting}
      onClick={() => {
        if (isSelecting) clearSelection();
        onChange(!isSelecting);
      }}
    >
      {isSelecting ? "Stop selecting" : "Select"}
    </Button>
  );
}

/**
 * Selecting by pointer and thumb: Shift+click takes a range, and as long as the page is in its selecting mode a click
 * takes a row instead of opening it. True when the click was one of those.
 */
export function usePointerSelection(isSelecting: boolean): (event: MouseEvent) => boolean {
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
