import { fileURLToPath } from "node:url";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";
import remixConfig from "./remix.config.js";
import { threadPrograms } from "./vite.threads";

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [threadPrograms(), tailwindcss(), remix(remixConfig), withoutSingleFetch],
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
  // Built in, as the router is in a package: a second copy of its contexts would be empty.
  ssr: { noExternal: ["remix-utils"] },
  build: {
    sourcemap: false,
    rollupOptions: {
      output: isSsrBuild ? {} : { manualChunks: { shared, later } },
      onwarn(warning, warn) {
        // zod's sources carry annotations that Rollup drops and reports; nothing is lost by it.
        if (warning.code !== "INVALID_ANNOTATION") warn(warning);
      },
    },
  },
}));

/** One file with all that these import: most pages use it, and it compresses better than fifty files. Rollup does the rest. */
const shared = [
  "app/root.tsx",
  "app/routes/_app/route.tsx",
  "app/routes/_app.products.$productId.tsx",
  "app/features/board/board.tsx",
  "app/features/board/board-tools.tsx",
  "app/features/board/task-lines.tsx",
  "app/features/budgets/forecast-line.tsx",
  "app/features/charts/chart-figure.tsx",
  "app/features/dependencies/remove-dependency.tsx",
  "app/features/items/row-actions.tsx",
  "app/features/review/review-times.tsx",
  "app/features/runs/blocker-list.tsx",
  "app/features/runs/run-status.tsx",
  "app/features/runs/start-run.tsx",
  "app/features/runs/stopped-run.tsx",
  "app/nouns/sprints/takes-stories.ts",
  "app/ui/card.tsx",
  "app/ui/confirm.tsx",
  "app/ui/empty-state.tsx",
];

/** What every page loads once it is drawn, in one file too. */
const later = [
  "app/routes/_app/beside-pages.tsx",
  "app/features/items/item-keys.tsx",
  "app/features/items/item-menu.tsx",
  "app/features/board/board-moves.tsx",
  "app/features/board/column-strip.tsx",
  "app/routes/_app/preload-pages.ts",
  "app/routes/_app/keys-dialog.tsx",
  "app/routes/_app/palette/palette.tsx",
];

const noDecoder = "\0no-decoder";

/** Single fetch is off (remix.config.js): its decoder, 3 kB of the first script, is never called in the browser. */
const withoutSingleFetch: Plugin = {
  name: "without-single-fetch",
  enforce: "pre",
  apply: "build",
  resolveId: (id, _, { ssr }) => (id === "turbo-stream" && !ssr ? noDecoder : undefined),
  load: (id) => (id === noDecoder ? "export const decode = undefined, encode = undefined;" : undefined),
};
