import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import { lookParameters } from "~/nouns/saved-views/contract";
import { keptLookKey } from "~/ui/kept-look";

/** Parameters that are restored when the user comes back to a tab of a product. */
const kept = [
  [/\/backlog$/, [...lookParameters.backlog, "view", "open", "shut"]],
  [/\/solo$/, [...lookParameters.board, "view"]],
] as const;

/** Remembers in this tab how its pages were left. */
export function useKeptLook(): void {
  const { pathname, search } = useLocation();
  useEffect(() => {
    const [, names] = kept.find(([pattern]) => pattern.test(pathname)) ?? [];
    if (!names) return;
    const all = [...new URLSearchParams(search)];
    const look = new URLSearchParams(all.filter(([name]) => names.some((each) => each === name)));
    try {
      sessionStorage.setItem(keptLookKey(pathname), look.toString());
    } catch {
      // Without storage a page opens without a filter.
    }
  }, [pathname, search]);
}
