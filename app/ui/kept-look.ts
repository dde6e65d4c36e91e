import { useLocation } from "@remix-run/react";
import { useEffect } from "react";

const keyOf = (path: string) => `look ${path}`;

/** Remembers in this tab how a page was left: those parameters of its address that say how it looks. */
export function useKeptLook(parameters: readonly string[]): void {
  const { pathname, search } = useLocation();
  useEffect(() => {
    const all = [...new URLSearchParams(search)];
    const look = new URLSearchParams(all.filter(([name]) => parameters.includes(name)));
    try {
      sessionStorage.setItem(keyOf(pathname), `${look}`);
    } catch {
      // Without storage a page opens without a filter.
    }
  }, [pathname, search, parameters]);
}

/** The way to a page as it was left; whoever is there already goes to it without a filter. */
export function withKeptLook(path: string): string {
  try {
    const look = path === location.pathname ? null : sessionStorage.getItem(keyOf(path));
    return look ? `${path}?${look}` : path;
  } catch {
    return path;
  }
}
