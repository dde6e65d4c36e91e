import { createRequestHandler, type RequestHandler, type ServerBuild } from "@remix-run/node";
import type { TableRoute } from "./route-table";

/** What answers a page once its route is known. */
export type PageHandlers = (route: TableRoute) => RequestHandler;

/**
 * Remix for one page at a time, given that page's route and its layouts only. With all routes it ranks every one of them
 * three times a request and makes them anew to draw the page, which together took a quarter of the time of a board.
 */
export function createPageHandlers(build: ServerBuild, mode: string): PageHandlers {
  const handlers = new Map<string, RequestHandler>();
  return (route) => {
    const known = handlers.get(route.id);
    if (known) return known;
    const handler = createRequestHandler(onlyBranch(build, route), mode);
    handlers.set(route.id, handler);
    return handler;
  };
}

function onlyBranch(build: ServerBuild, { branch }: TableRoute): ServerBuild {
  const own = new Set(branch.map(({ id }) => id));
  const pick = <T>(routes: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(routes).filter(([id]) => own.has(id)));
  const assets = { ...build.assets, routes: pick(build.assets.routes) };
  return { ...build, routes: pick(build.routes), assets };
}
