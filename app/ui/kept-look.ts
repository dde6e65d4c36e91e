import { useLocation } from "@remix-run/react";
import { useEffect } from "react";

const storageKey = "backloom.looks";

/** Remembers in this tab how a page was left: those parameters of its address that say how it looks. */
export function useKeptLook(parameters: readonly string[]): void {
  const { pathname, search } = useLocation();
  useEffect(() => {
    const look = new URLSearchParams(
      [...new URLSearchParams(search)].filter(([name]) => parameters.includes(name)),
    );
    try {
      sessionStorage.setItem(
        storageKey,
        JSON.stringify({ ...storedLooks(), [pathname]: look.toString() }),
      );
    } catch {
      // Without storage a page opens as it is without a filter.
    }
  }, [pathname, search, parameters]);
}

/** The way to a page as it was left; whoever is there already goes to it without a filter. */
export function withKeptLook(path: string): string {
  const look = path === location.pathname ? undefined : storedLooks()[path];
  return look ? `${path}?${look}` : path;
}

function storedLooks(): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "{}");
    const entries = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter(([, look]) => typeof look === "string"));
  } catch {
    return {};
  }
}
