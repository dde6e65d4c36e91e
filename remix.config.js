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
};

export default remixConfig;
