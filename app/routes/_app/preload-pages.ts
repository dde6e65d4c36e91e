import { matchRoutes } from "@remix-run/react";
import { router } from "~/live/router";
import { adminDestination, destinations, productPages, productPath, setupDestinations } from "./navigation";

const requested = new Set<string>();

/**
 * Preloads the code of pages: for a link on hover or focus, for all `g` destinations once `g` is pressed. Not their
 * data: it must not be cached, so it would be fetched twice. The routes behind menus and changes are small and come at
 * once: without network, or after an update of the service, the first of them would lose the page.
 */
export function preloadPages(productId: string | undefined): () => void {
  for (const [id, code] of Object.entries(window.__remixManifest.routes))
    if (id.startsWith("routes/_app.") && !code?.imports?.length) preloadCode(code);
  const onLink = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link?.origin === location.origin) preload(link.pathname);
  };
  const onKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (key !== "g" || ctrlKey || metaKey || altKey) return;
    for (const { to } of [...destinations, ...setupDestinations, adminDestination]) preload(to);
    if (productId) for (const { page } of productPages) preload(productPath(productId, page));
  };
  document.addEventListener("pointerover", onLink, { passive: true });
  document.addEventListener("focusin", onLink);
  document.addEventListener("keydown", onKey);
  return () => {
    document.removeEventListener("pointerover", onLink);
    document.removeEventListener("focusin", onLink);
    document.removeEventListener("keydown", onKey);
  };
}

/** Preloads each file once. The browser skips those it has. */
function preload(pathname: string): void {
  const { routes } = window.__remixManifest;
  for (const { route } of matchRoutes(router().routes, pathname) ?? []) preloadCode(routes[route.id ?? ""]);
}

function preloadCode(code: (typeof window.__remixManifest.routes)[string] | undefined): void {
  for (const file of code ? [code.module, ...(code.imports ?? [])] : []) {
    if (requested.has(file)) continue;
    requested.add(file);
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = file;
    document.head.append(link);
  }
}
