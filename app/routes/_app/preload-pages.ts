import { matchRoutes } from "@remix-run/react";
import { router } from "~/live/router";
import { destinations, productPages, productPath, setupDestinations } from "./navigation";

const matched = new Set<string>();
const requested = new Set<string>();

/**
 * The code of links on hover or focus, and of `g` keys once `g` is pressed; not on the press that opens one: matching
 * a path against all routes takes too long. Not their data: it must not be cached, so it would be fetched twice.
 */
export function preloadPages(productId: string | undefined): () => void {
  const withKey = [...destinations, ...setupDestinations(false)].map(({ to }) => to);
  if (productId) withKey.push(...productPages.map(({ page }) => productPath(productId, page)));
  const waiting: string[] = [];
  const next = () => {
    const path = waiting.pop();
    if (path) preload(path);
    if (waiting.length > 0) whenIdle(next);
  };
  const add = (paths: readonly string[]) => {
    if (waiting.push(...paths) === paths.length) whenIdle(next);
  };
  const onLink = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link?.origin === location.origin) add([link.pathname]);
  };
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === "g") add(withKey.splice(0));
  };
  document.addEventListener("pointerover", onLink, { passive: true });
  document.addEventListener("focusin", onLink);
  document.addEventListener("keydown", onKey);
  return () => {
    waiting.length = 0;
    document.removeEventListener("pointerover", onLink);
    document.removeEventListener("focusin", onLink);
    document.removeEventListener("keydown", onKey);
  };
}

/** Soon, also where a busy page is never idle. Safari has no requestIdleCallback. */
const whenIdle = (run: () => void) =>
  "requestIdleCallback" in window ? requestIdleCallback(run, { timeout: 500 }) : setTimeout(run, 50);

/** Preloads each file once. The browser skips those it has. */
function preload(pathname: string): void {
  if (matched.has(pathname)) return;
  matched.add(pathname);
  const { routes } = window.__remixManifest;
  const codes = (matchRoutes(router().routes, pathname) ?? []).map(({ route }) => routes[route.id ?? ""]);
  for (const file of codes.flatMap((code) => (code ? [code.module, ...(code.imports ?? [])] : []))) {
    if (requested.has(file)) continue;
    requested.add(file);
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = file;
    document.head.append(link);
  }
}
