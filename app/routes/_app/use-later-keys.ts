import { useMemo } from "react";
import { type PageKey, pressMarked, usePageKeys } from "~/ui/page-keys";
import { useUndo } from "~/ui/toast";

/** Keys that work everywhere and that no one presses before the page is there. */
export function useLaterKeys(): void {
  const undo = useUndo();
  const keys = useMemo<PageKey[]>(
    () => [
      { keys: "$mod+z", label: "Undo the last change", run: undo },
      { keys: "Shift+F", label: "Clear the filter", run: () => pressMarked("data-show-all") },
      { keys: "Shift+T", label: "Switch between light and dark", run: switchTheme },
      { keys: "Escape", label: "Close", whileTyping: true, run: closeTopmost },
    ],
    [undo],
  );
  usePageKeys("Everywhere", keys);
}

/** Toggles light and dark by clicking the button in the account menu. */
function switchTheme() {
  const { theme } = document.documentElement.dataset;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const wanted = isDark ? "light" : "dark";
  document.querySelector<HTMLElement>(`[name="theme"][value="${wanted}"]`)?.click();
}

function closeTopmost(): boolean {
  // Popovers and dialogs close themselves; only the side panel is ours.
  if (document.querySelector(":popover-open, dialog[open]")) return false;
  // The next key is for the page, not for the field about to disappear.
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.matches("input, textarea, select")) active.blur();
  // Esc leaves a filter unchanged: the browser would clear it and show everything again.
  if (active?.matches("[data-filter]")) return true;
  // One thing at a time: first the panel next to the list, then the selection.
  return pressMarked("data-close") || pressMarked("data-clear") || pressMarked("data-show-all");
}
