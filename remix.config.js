import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Options of the Remix build; vite.config.ts imports them.
 *
 * Single fetch and lazy route discovery stay off: both have open advisories in the last Remix 2
 * release (a decoder and a manifest route that can be made to burn CPU).
 *
 * @type {import("@remix-run/dev").VitePluginConfig}
 */
const remixConfig = {
  appDirectory: "app",
  // A folder of its own: Remix clears it before each build, and a worker may be running from build/programs.
  buildDirectory: "build/pages",
  serverModuleFormat: "esm",
  ignoredRouteFiles: ["**/.*", "**/*.test.*"],
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_routeConfig: false,
    v3_singleFetch: false,
    v3_lazyRouteDiscovery: false,
  },
  buildEnd: ({ remixConfig }) => dropApi(join(remixConfig.buildDirectory, "client/assets")),
};

export default remixConfig;

/** Browsers go to no route of the API: half of the list that each page loads first and matches links against. */
function dropApi(assets) {
  const name = readdirSync(assets).find((file) => /^manifest-\w+\.js$/.test(file));
  if (!name) throw new Error(`Remix wrote no manifest to ${assets}`);
  const start = "window.__remixManifest=";
  const { routes, ...rest } = JSON.parse(readFileSync(join(assets, name), "utf8").slice(start.length, -1));
  const kept = Object.entries(routes).filter(([id]) => !id.startsWith("routes/api."));
  writeFileSync(join(assets, name), `${start}${JSON.stringify({ ...rest, routes: Object.fromEntries(kept) })};`);
}
