import { createRequestHandler, type RequestHandler, type ServerBuild } from "@remix-run/node";

type BuildRoute = ServerBuild["routes"][string];

/** A route of the server build with its full path and its branch: its layouts, then the route itself. */
export interface TableRoute {
  id: string;
  segments: readonly string[];
  /** Full path for metrics, for example `/tasks/:taskId`. */
  pattern: string;
  module: BuildRoute["module"];
  branch: readonly BuildRoute[];
}

export type RouteMatch = { route: TableRoute; params: Record<string, string> };

export interface RouteTable {
  /** Returns the most specific route of a path. Case-sensitive, unlike Remix's matching. */
  match(pathname: string): RouteMatch | undefined;
  /** Knows only this page's route and layouts: with all, Remix ranks and rebuilds each, a third of a board's time. */
  page(route: TableRoute, mode: string): RequestHandler;
}

const tables = new WeakMap<object, RouteTable>();

/** Returns the route table of a build, compiled once. The front uses it to find methods and loaders. */
export function routesOf(build: ServerBuild): RouteTable {
  const table = tables.get(build) ?? compile(build);
  tables.set(build, table);
  return table;
}

function compile(build: ServerBuild): RouteTable {
  const routes = Object.values(build.routes)
    .filter((route) => route.path !== undefined || route.index)
    .map((route) => toTableRoute(build, route))
    .sort((a, b) => weight(b) - weight(a));
  const exact = routes.filter((route) => route.segments.at(-1) !== "*");
  const splats = routes.filter((route) => route.segments.at(-1) === "*");
  const byLength = groupByLength(exact);
  const handlers = new Map<string, RequestHandler>();

  return {
    match(pathname) {
      const parts = pathname === "/" ? [] : pathname.slice(1).split("/");
      const isMatch = ({ segments }: TableRoute) => fits(segments, parts);
      const route = byLength.get(parts.length)?.find(isMatch) ?? splats.find(isMatch);
      return route && { route, params: readParams(route.segments, parts) };
    },
    page(route, mode) {
      const handler = handlers.get(route.id) ?? createRequestHandler(onlyBranch(build, route), mode);
      handlers.set(route.id, handler);
      return handler;
    },
  };
}

function onlyBranch(build: ServerBuild, { branch }: TableRoute): ServerBuild {
  const own = new Set(branch.map(({ id }) => id));
  const pick = <T>(routes: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(routes).filter(([id]) => own.has(id)));
  const assets = { ...build.assets, routes: pick(build.assets.routes) };
  return { ...build, routes: pick(build.routes), assets };
}

function groupByLength(routes: readonly TableRoute[]): Map<number, TableRoute[]> {
  const groups = new Map<number, TableRoute[]>();
  for (const route of routes) {
    const group = groups.get(route.segments.length);
    if (group) group.push(route);
    else groups.set(route.segments.length, [route]);
  }
  return groups;
}

function toTableRoute(build: Pick<ServerBuild, "routes">, route: BuildRoute): TableRoute {
  const branch: BuildRoute[] = [];
  for (let at: BuildRoute | undefined = route; at; at = build.routes[at.parentId ?? ""]) {
    branch.unshift(at);
  }
  const segments = branch.flatMap(({ path }) => (path ? path.split("/") : []));
  return { id: route.id, segments, pattern: `/${segments.join("/")}`, module: route.module, branch };
}

/** Ranks routes: static segments weigh more than parameters, early ones more than late; an index beats its layout. */
function weight({ segments, branch }: TableRoute): number {
  const isIndex = branch.at(-1)?.index === true;
  const score = segments.reduce((sum, segment) => sum * 4 + segmentWeight(segment), 0);
  return score * 2 + (isIndex ? 1 : 0);
}

function segmentWeight(segment: string): number {
  if (segment === "*") return 0;
  return segment.startsWith(":") ? 1 : 3;
}

/** Runs for dozens of routes per request, so it allocates nothing. Parameters are read only from the match. */
function fits(segments: readonly string[], parts: readonly string[]): boolean {
  for (let at = 0; at < segments.length; at += 1) {
    const segment = segments[at];
    if (segment === "*") return true;
    if (segment !== parts[at] && !segment?.startsWith(":")) return false;
  }
  return true;
}

function readParams(segments: readonly string[], parts: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if (segment === "*") params["*"] = parts.slice(index).map(decodeURIComponent).join("/");
    if (segment.startsWith(":")) params[segment.slice(1)] = decodeURIComponent(parts[index] ?? "");
  }
  return params;
}
