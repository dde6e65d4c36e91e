import { useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useWithDrawing } from "~/ui/use-with-drawing";
import { placesKey } from "./earlier-place";

/**
 * Whoever goes back finds a page where they left it; a new one begins at its top or at its hash. Only going somewhere
 * scrolls: the router's own component also does when data has been read again, to where the page was before that.
 */
export function ScrollPlaces(): null {
  const { key, hash } = useLocation();
  const places = useRef<Record<string, number>>({});
  const shown = useRef<string>();
  const arriving = useRef({ key, stays: true });

  useEffect(() => {
    places.current = { ...storedPlaces(), ...places.current };
    const note = () => {
      if (shown.current !== undefined) places.current[shown.current] = window.scrollY;
    };
    // A page that is loaded anew is the business of `EarlierPlace`.
    const leave = () => storePlaces(places.current);
    const unsubscribe = window.__remixRouter.subscribe(({ location, preventScrollReset }) => {
      if (location.key === arriving.current.key) return;
      arriving.current = { key: location.key, stays: preventScrollReset };
    });
    addEventListener("scroll", note, { passive: true });
    addEventListener("pagehide", leave);
    return () => {
      unsubscribe();
      removeEventListener("scroll", note);
      removeEventListener("pagehide", leave);
    };
  }, []);

  useWithDrawing(() => {
    const isFirst = shown.current === undefined;
    shown.current = key;
    const place = places.current[key];
    if (isFirst) return;
    if (place !== undefined) window.scrollTo(0, place);
    else if (!scrolledTo(hash) && !arriving.current.stays) window.scrollTo(0, 0);
    places.current[key] = window.scrollY;
  }, [key, hash]);
  return null;
}

function scrolledTo(hash: string): boolean {
  const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
  target?.scrollIntoView();
  return target !== null;
}

/** What the browser keeps may be missing, or from an older version of the page. */
function storedPlaces(): Record<string, number> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(placesKey) ?? "{}");
    const entries = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter(([, place]) => typeof place === "number"));
  } catch {
    return {};
  }
}

function storePlaces(places: Readonly<Record<string, number>>): void {
  try {
    sessionStorage.setItem(placesKey, JSON.stringify(places));
  } catch {
    // Without storage, or when it is full, pages begin at their top after they were loaded anew.
  }
}
