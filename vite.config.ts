import { fileURLToPath } from "node:url";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";

export default defineConfig({
  plugins: [tailwindcss(), remix(remixConfig)],
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  build: {
    sourcemap: false,
    rollupOptions: {
      output: { manualChunks: sharedParts },
      onwarn(warning, warn) {
        // zod's sources carry annotations that Rollup drops and reports; nothing is lost by it.
        if (warning.code !== "INVALID_ANNOTATION") warn(warning);
      },
    },
  },
});

/** What carries a library of its own and is needed on some pages only. */
const heavyParts = /\/(server-form|panel-tabs|tooltip)\.tsx$/;

/** The small parts that nearly every page uses, in one file: it compresses better than forty. */
function sharedParts(id: string): string | undefined {
  if (!id.includes("/app/components/") || id.includes(".server.") || heavyParts.test(id)) return;
  return id.includes("/board/") ? "board" : "parts";
}
