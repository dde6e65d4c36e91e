import { useNavigate } from "@remix-run/react";
import { useMemo } from "react";
import { type PageKey, pressMarked, usePageKeys } from "~/components/page-keys";
import { destinations, productPages, productPath, setupDestinations } from "./navigation";

/** The keys that work everywhere: go, create, search, help, close. */
export function useShellKeys(
  productId: string | undefined,
  show: { palette: () => void; keys: () => void },
): void {
  const navigate = useNavigate();
  const { palette, keys: help } = show;
  const keys = useMemo<PageKey[]>(() => {
    const places = [...destinations, ...setupDestinations].map(({ letter, label, to }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      run: () => navigate(to),
    }));
    const pages = productPages.map(({ letter, label, page }) => ({
      keys: `g ${letter}`,
      label: `Go to ${label}`,
      run: () => (productId ? navigate(productPath(productId, page)) : undefined),
    }));
    return [
      {
        keys: "$mod+k",
        label: "Search and actions",
        whileTyping: true,
        run: (event) => {
          event.preventDefault();
          palette();
        },
      },
      { keys: "Shift+?", label: "Keys of this page", run: help },
      // Where the question mark needs no shift key.
      { keys: "?", label: "Keys of this page", run: help },
      {
        keys: "c",
        label: "Create what belongs here",
        run: (event) => {
          event.preventDefault();
          if (!pressMarked("data-create")) palette();
        },
      },
      {
        keys: "/",
        label: "Filter",
        run: (event) => {
          event.preventDefault();
          if (!pressMarked("data-filter")) palette();
        },
      },
      { keys: "Escape", label: "Close", whileTyping: true, run: closeTopmost },
      ...places,
      ...pages,
    ];
  }, [navigate, productId, palette, help]);
  usePageKeys("Everywhere", keys);
}

function closeTopmost() {
  // Popovers and dialogs close themselves; only the side panel is ours.
  if (document.querySelector(":popover-open, dialog[open]")) return;
  pressMarked("data-close");
}
