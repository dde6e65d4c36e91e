import { useNavigate } from "@remix-run/react";
import { useMemo } from "react";
import { useResultOf } from "~/ui/action-result";
import { beginKey } from "~/ui/begin-waiting";
import { withKeptLook } from "~/ui/kept-look";
import { type PageKey, pressMarked, usePageKeys } from "~/ui/page-keys";
import { undoKey, useUndo } from "~/ui/use-undo";
import {
  adminDestination,
  destinations,
  productPages,
  productPath,
  setupDestinations,
} from "./navigation";

/** Keys that work on every page: go to, create, search, help, close. */
export function useShellKeys(
  productId: string | undefined,
  isAdmin: boolean,
  show: { palette: () => void; keys: () => void },
): void {
  const navigate = useNavigate();
  const { palette, keys: help } = show;
  const undo = useUndo();
  useMessageAnswers();
  const keys = useMemo<PageKey[]>(() => {
    const reachable = [...destinations, ...setupDestinations];
    if (isAdmin) reachable.push(adminDestination);
    const places = reachable.map(({ letter, label, to }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      run: () => navigate(to),
    }));
    const pages = productPages.map(({ letter, label, page }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      run: () => (productId ? navigate(withKeptLook(productPath(productId, page))) : undefined),
    }));
    const filter = () => {
      if (!pressMarked("data-filter")) palette();
    };
    return [
      {
        keys: "$mod+k",
        label: "Search and actions",
        whileTyping: true,
        run: palette,
      },
      { keys: "Shift+?", label: "Keyboard shortcuts", run: help },
      // For keyboards that type ? without Shift.
      { keys: "?", label: "Keyboard shortcuts", run: help },
      {
        keys: "c",
        label: "Create",
        run: () => {
          if (!pressMarked("data-create")) palette();
        },
      },
      { keys: "/", label: "Filter", run: filter },
      { keys: "f", label: "Filter", run: filter },
      { keys: "Shift+F", label: "Clear the filter", run: () => pressMarked("data-show-all") },
      { keys: "$mod+z", label: "Undo the last change", run: undo },
      { keys: "Shift+T", label: "Switch between light and dark", run: switchTheme },
      { keys: "Escape", label: "Close", whileTyping: true, run: closeTopmost },
      ...places,
      ...pages,
    ];
  }, [navigate, productId, isAdmin, palette, help, undo]);
  usePageKeys("Everywhere", keys);
}

function closeTopmost(): boolean {
  // Popovers and dialogs close themselves; only the side panel is ours.
  if (document.querySelector(":popover-open, dialog[open]")) return false;
  // The next key is for the page, not for the field about to disappear.
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.matches("input, textarea, select")) active.blur();
  // Esc leaves a filter unchanged: the browser would clear it and show everything again.
  if (active?.matches("[data-filter]")) return true;
  // One thing at a time: first the panel beside the list, then the selection.
  return pressMarked("data-close") || pressMarked("data-clear") || pressMarked("data-show-all");
}

/** Toggles light and dark by clicking the button in the account menu. */
function switchTheme() {
  const { theme } = document.documentElement.dataset;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const wanted = isDark ? "light" : "dark";
  document.querySelector<HTMLElement>(`[name="theme"][value="${wanted}"]`)?.click();
}

/** Shows the results of message buttons: what was undone or why not, and what was started. */
function useMessageAnswers(): void {
  useResultOf(undoKey);
  useResultOf(beginKey);
}
