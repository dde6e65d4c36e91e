import { useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { useIsomorphicLayoutEffect } from "~/ui/use-isomorphic-layout-effect";

/** Where `ScrollPlaces` keeps the places of a tab, each under the key of its entry in the history. */
const placesKey = "positions";

/**
 * Runs as soon as the page is there: whoever loads one anew is where they were before they can scroll themselves. The
 * browser's own way looks for the element that was at the top, and may find another one while the page is still coming.
 */
const script = `(() => {
  try {
    history.scrollRestoration = "manual";
    if (!history.state?.key) history.replaceState({ key: Math.random().toString(36).slice(2) }, "");
    const place = JSON.parse(sessionStorage.getItem("${placesKey}") ?? "{}")[history.state.key];
    if (typeof place === "number") scrollTo(0, place);
  } catch {}
})()`;

export function EarlierPlace({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: written above
      dangerouslySetInnerHTML={{ __html: script }}
    />
  );
}

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

  useIsomorphicLayoutEffect(() => {
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
