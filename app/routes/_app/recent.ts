import { useLocation } from "@remix-run/react";
import { useEffect } from "react";

interface RecentPlace {
  to: string;
  title: string;
}

const storageKey = "backloom.recent";
const longest = 6;

/** Pages of single things that were looked at last, newest first; kept in this browser only. */
export function readRecent(): RecentPlace[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isPlace) : [];
  } catch {
    return [];
  }
}

function isPlace(value: unknown): value is RecentPlace {
  if (typeof value !== "object" || value === null) return false;
  if (!("to" in value) || !("title" in value)) return false;
  return (
    typeof value.to === "string" && value.to.startsWith("/") && typeof value.title === "string"
  );
}

const worthKeeping = /^\/(stories|tasks|ideas|products)\/[0-9a-f-]{36}/;

export function useRecentPlaces(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!worthKeeping.test(pathname)) return;
    // The title is set by the page's own meta, one tick after the address changes.
    const timer = setTimeout(() => {
      const title = document.title.replace(/ · Backloom$/, "");
      const others = readRecent().filter((place) => place.to !== pathname);
      const next = [{ to: pathname, title }, ...others].slice(0, longest);
      localStorage.setItem(storageKey, JSON.stringify(next));
    }, 300);
    return () => clearTimeout(timer);
  }, [pathname]);
}
