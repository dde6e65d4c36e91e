import { fileURLToPath } from "node:url";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";
import { threadPrograms } from "./vite.threads";

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [threadPrograms(), tailwindcss(), remix(remixConfig)],
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  // Built in, as the router is in a package: a second copy of its contexts would be empty.
  ssr: { noExternal: ["remix-utils"] },
  build: {
    sourcemap: false,
    // A page that came with its panel waits for it before it comes to life: links in its head would be none of the server's.
    modulePreload: {
      resolveDependencies: (file, files) => (file.startsWith("assets/panel-") ? [] : files),
    },
    rollupOptions: {
      output: isSsrBuild ? {} : { manualChunks: sharedParts },
      onwarn(warning, warn) {
        // zod's sources carry annotations that Rollup drops and reports; nothing is lost by it.
        if (warning.code !== "INVALID_ANNOTATION") warn(warning);
      },
    },
  },
}));

/**
 * What nearly every page uses is one file, which compresses better than a hundred: what lies directly in these folders. What a page
 * loads later lies in a folder below (`ui/rare`, `board/moving`, `items/keys`, `_app/later`). All else is left to Rollup.
 */
function sharedParts(id: string): string | undefined {
  if (id.includes(".server.")) return;
  // Small parts that the board shows together: a file each would cost more than what is in it.
  if (
    /\/app\/(features\/(runs\/(?!blocker-|run-|fresh-)|products\/product-access)|nouns\/sprints\/takes-)[^/]+$/.test(
      id,
    )
  )
    return "runs";
  if (/\/app\/features\/budgets\/[^/]+$/.test(id)) return "budgets";
  return /\/app\/(ui|live|routes\/_app|features\/(board|items|views))\/[^/]+$/.test(id)
    ? "shared"
    : undefined;
}
