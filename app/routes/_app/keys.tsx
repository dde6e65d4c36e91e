import { useNavigate } from "@remix-run/react";
import { useMemo } from "react";
import { withKeptLook } from "~/ui/link-area";
import { type PageKey, pressMarked, usePageKeys } from "~/ui/page-keys";
import { destinations, productPages, productPath, setupDestinations, triagePage } from "./navigation";

/** Keys that work on every page: go to, create, search, help, close. */
export function useShellKeys(
  productId: string | undefined,
  /** Page of the active sprint, or of all sprints. */
  board: string,
  isAdmin: boolean,
  show: { palette: () => void; keys: () => void },
): void {
  const navigate = useNavigate();
  const { palette, keys: help } = show;
  const keys = useMemo<PageKey[]>(() => {
    const lines = [...destinations, ...setupDestinations(isAdmin)].map(({ letter, label, to }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      run: () => navigate(to),
    }));
    const pages = [...productPages, triagePage].map(({ letter, label, page }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      run: () => (productId ? navigate(withKeptLook(productPath(productId, page))) : undefined),
    }));
    const filter = () => {
      if (!pressMarked("data-filter")) palette();
    };
    return [
      { keys: "$mod+k", label: "Search and actions", whileTyping: true, run: palette },
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
      { keys: "o", label: "Open by name", run: palette },
      {
        keys: "$mod+b",
        label: "Board or backlog",
        run: () => {
          if (!productId) return;
          const isBacklog = window.location.pathname.endsWith("/backlog");
          navigate(withKeptLook(productPath(productId, isBacklog ? board : "backlog")));
          return true;
        },
      },
      ...lines,
      ...pages,
    ];
  }, [navigate, productId, board, isAdmin, palette, help]);
  usePageKeys("Everywhere", keys);
}
