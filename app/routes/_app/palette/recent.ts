import { recentPagesKey } from "~/features/places/recent-pages";

interface RecentPage {
  to: string;
  title: string;
}

const longest = 6;

/** Returns the account's recently viewed items, newest first; stored in this browser only. */
export function readRecent(userId: string): RecentPage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(recentPagesKey) ?? "null");
    return isOf(userId, stored) ? stored.places.filter(isPage) : [];
  } catch {
    return [];
  }
}

/** Ignores entries another account left on this device. */
function isOf(userId: string, stored: unknown): stored is { places: unknown[] } {
  if (typeof stored !== "object" || stored === null) return false;
  if (!("userId" in stored) || !("places" in stored)) return false;
  return stored.userId === userId && Array.isArray(stored.places);
}

function isPage(value: unknown): value is RecentPage {
  if (typeof value !== "object" || value === null) return false;
  if (!("to" in value) || !("title" in value)) return false;
  return typeof value.to === "string" && value.to.startsWith("/") && typeof value.title === "string";
}

/** Stores the title of the page just opened. */
export function notePage(userId: string, pathname: string, product: string | undefined): void {
  // A form for something new says nothing without what it is about.
  if (pathname.endsWith("/new")) return;
  const page = document.title.replace(/^\(\d+\+?\) /, "").replace(/ · Backloom$/, "");
  // Every product has a backlog, so the product's name is added.
  const title = pathname.startsWith("/products/") && product ? `${page} · ${product}` : page;
  const others = readRecent(userId).filter((recent) => recent.to !== pathname);
  const pages = [{ to: pathname, title }, ...others].slice(0, longest);
  localStorage.setItem(recentPagesKey, JSON.stringify({ userId, places: pages }));
}
