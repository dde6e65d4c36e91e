import { useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { router } from "~/live/router";
import { useIsomorphicLayoutEffect } from "~/ui/use-isomorphic-layout-effect";

const positionsKey = "positions";

/** Runs while the page is parsed, before one can scroll. The browser's own restoration can pick another element. */
const script = `(() => {
  try {
    history.scrollRestoration = "manual";
    if (!history.state?.key) history.replaceState({ key: Math.random().toString(36).slice(2) }, "");
    const place = JSON.parse(sessionStorage.getItem("${positionsKey}") ?? "{}")[history.state.key];
    if (typeof place === "number") scrollTo(0, place);
  } catch {}
})()`;

export function EarlierPosition({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: written above
      dangerouslySetInnerHTML={{ __html: script }}
    />
  );
}

/** Scrolls on navigation only: the router's own component also does after revalidation, to the position before it. */
export function ScrollPositions(): null {
  const { key, hash } = useLocation();
  const positions = useRef<Record<string, number>>({});
  const shown = useRef<string>();
  const arriving = useRef({ key, stays: true });

  useEffect(() => {
    positions.current = { ...storedPositions(), ...positions.current };
    const note = () => {
      if (shown.current !== undefined) positions.current[shown.current] = window.scrollY;
    };
    // `EarlierPosition` handles reloads.
    const leave = () => storePositions(positions.current);
    const unsubscribe = router().subscribe(({ location, preventScrollReset }) => {
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
    const position = positions.current[key];
    if (isFirst) return;
    if (position !== undefined) window.scrollTo(0, position);
    else if (!scrolledTo(hash) && !arriving.current.stays) window.scrollTo(0, 0);
    positions.current[key] = window.scrollY;
  }, [key, hash]);
  return null;
}

function scrolledTo(hash: string): boolean {
  const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
  target?.scrollIntoView();
  return target !== null;
}

/** Stored data may be missing, or written by an older version. */
function storedPositions(): Record<string, number> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(positionsKey) ?? "{}");
    const entries = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter(([, position]) => typeof position === "number"));
  } catch {
    return {};
  }
}

function storePositions(positions: Readonly<Record<string, number>>): void {
  try {
    sessionStorage.setItem(positionsKey, JSON.stringify(positions));
  } catch {
    // Without storage, or if it is full, reloaded pages start at the top.
  }
}
