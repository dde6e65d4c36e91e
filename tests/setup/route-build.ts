import type { ServerBuild } from "@remix-run/node";

type RouteModule = ServerBuild["routes"][string]["module"];
type Route = ServerBuild["routes"][string];

const modules = import.meta.glob<RouteModule>(["../../app/routes/*.{ts,tsx}", "../../app/routes/*/route.{ts,tsx}"]);

/**
 * The server build straight from the sources, so that no test waits for a bundle: the same table of
 * routes that Remix makes from the names of files and folders. `pages` chooses what is loaded next to /api, /mcp, /openapi.json and the addresses of OAuth:
 * all, none, or those with these names.
 */
export async function routesFromSources({ pages }: { pages: boolean | readonly string[] }): Promise<ServerBuild> {
  const files = Object.entries(modules).map(([file, load]) => ({ name: nameOf(file), load }));
  const wanted = files.filter(
    ({ name }) =>
      /^(api|mcp|openapi|skills|oauth|token|revoke|hooks|\[\.\]well-known)(?!\w)/.test(name) ||
      (typeof pages === "boolean" ? pages : pages.includes(name)),
  );
  const names = new Set(wanted.map(({ name }) => name));
  // What renders is loaded only where pages are.
  const rendersPages = pages === true || (Array.isArray(pages) && pages.length > 0);
  const root = rendersPages ? await import("~/root") : { default: undefined };
  const routes: ServerBuild["routes"] = { root: { id: "root", path: "", module: root } };
  for (const { name, load } of wanted) {
    const module = await load().catch(brokenModule);
    const route = describeRoute(name, names, module);
    routes[route.id] = route;
  }
  return {
    mode: "production",
    entry: { module: rendersPages ? await import("~/entry.server") : { default: noPages } },
    routes,
    assets: assetsOf(routes),
    publicPath: "/",
    assetsBuildDirectory: "build/pages/client",
    future: {
      v3_fetcherPersist: true,
      v3_relativeSplatPath: true,
      v3_throwAbortReason: true,
      v3_singleFetch: false,
      v3_lazyRouteDiscovery: false,
    },
    isSpaMode: false,
  };
}

function noPages(): never {
  throw new Error("No pages were loaded: start the test app with `pages`");
}

/** A route that cannot be loaded fails where it is asked for; a guard test loads them all. */
function brokenModule(cause: unknown): RouteModule {
  const fail = () => {
    throw new Error("This route could not be loaded", { cause });
  };
  return { loader: fail, action: fail, default: undefined };
}

/** Of a file, or of the folder of one that has more to it. */
function nameOf(file: string): string {
  return (
    file
      .replace(/(\/route)?\.tsx?$/, "")
      .split("/")
      .at(-1) ?? ""
  );
}

/** Remix's flat routes: dots separate segments (not in brackets), `_name` adds none, a trailing `_` leaves the parent. */
function describeRoute(name: string, names: ReadonlySet<string>, module: RouteModule): Route {
  const parts = name.split(/\.(?![^[]*\])/);
  const parent = parentOf(parts, names);
  const own = parts.slice(parent === undefined ? 0 : parent.split(".").length);
  const segments = own
    .filter((part) => !part.startsWith("_"))
    .map((part) => part.replace(/_$/, ""))
    .map((part) => (part === "$" ? "*" : part.replace(/^\$/, ":").replace(/\[(.*?)\]/g, "$1")));
  const isIndex = parts.at(-1) === "_index";
  return {
    id: `routes/${name}`,
    parentId: parent === undefined ? "root" : `routes/${parent}`,
    ...(segments.length > 0 ? { path: segments.join("/") } : {}),
    ...(isIndex ? { index: true } : {}),
    module,
  };
}

function parentOf(parts: readonly string[], names: ReadonlySet<string>): string | undefined {
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const candidate = parts.slice(0, length).join(".");
    if (names.has(candidate)) return candidate;
  }
  return undefined;
}

function assetsOf(routes: ServerBuild["routes"]): ServerBuild["assets"] {
  const described = Object.values(routes).map((route) => [
    route.id,
    {
      ...route,
      module: `/assets/${route.id}.js`,
      hasAction: route.module.action !== undefined,
      hasLoader: route.module.loader !== undefined,
      hasClientAction: false,
      hasClientLoader: false,
      hasErrorBoundary: route.module.ErrorBoundary !== undefined,
    },
  ]);
  return {
    version: "test",
    url: "/assets/manifest.js",
    entry: { module: "/assets/entry.client.js", imports: [] },
    routes: Object.fromEntries(described),
  };
}

/** The address of a route in this backlog; an id of nothing where it has none of that kind. */
export function addressOf(
  routes: ServerBuild["routes"],
  { product, sprint, story, task }: Record<"product" | "sprint" | "story" | "task", { id: string }>,
) {
  const own: Record<string, string> = {
    ":productId": product.id,
    ":sprintId": sprint.id,
    ":storyId": story.id,
    ":taskId": task.id,
  };
  const anyId = "00000000-0000-4000-8000-000000000000";
  return function pathOf(route: Route | undefined): string {
    if (!route) return "";
    const parts = (route.path ?? "").split("/").filter((part) => part !== "");
    const parent = pathOf(routes[route.parentId ?? ""]);
    return parent + parts.map((part) => `/${own[part] ?? part.replace(/^:.*/, anyId)}`).join("");
  };
}
