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
  "app/features/board/board-settings.ts",
  "app/features/board/board-tools.tsx",
  "app/features/board/board.tsx",
  "app/features/board/task-lines.tsx",
  "app/features/budgets/forecast-line.tsx",
  "app/features/charts/chart-figure.tsx",
  "app/features/dependencies/remove-dependency.tsx",
  "app/features/in-place/use-in-place.ts",
  "app/features/items/row-actions.tsx",
  "app/features/products/product-access.tsx",
  "app/features/proof/visible.ts",
  "app/features/review/review-times.tsx",
  "app/features/runs/blocker-list.tsx",
  "app/features/runs/run-status.tsx",
  "app/features/runs/start-run.tsx",
  "app/features/runs/stopped-run.tsx",
  "app/live/live-provider.tsx",
  "app/nouns/sprints/takes-stories.ts",
  "app/root.tsx",
  "app/routes/_app.products.$productId.tsx",
  "app/routes/_app/route.tsx",
  "app/secure-only.ts",
  "app/ui/avatar.tsx",
  "app/ui/badge.tsx",
  "app/ui/card.tsx",
  "app/ui/confirm.tsx",
  "app/ui/empty-state.tsx",
  "app/ui/fold.tsx",
  "app/ui/icon.tsx",
  "app/ui/isolated.ts",
  "app/ui/link-area.tsx",
  "app/ui/numbers.ts",
  "app/ui/relative-time.tsx",
  "app/ui/use-earlier-choices.ts",
];

/** What every page loads once it is drawn, in one file too: panels of items among it, as a press opens them at once. */
const later = [
  "app/features/board/board-moves.tsx",
  "app/features/board/column-strip.tsx",
  "app/features/comments/comments.tsx",
  "app/features/items/item-keys.tsx",
  "app/features/items/item-menu.tsx",
  "app/features/items/item-panels.tsx",
  "app/features/questions/question-card.tsx",
  "app/routes/_app/beside-pages.tsx",
  "app/routes/_app/keys-dialog.tsx",
  "app/routes/_app/palette/palette.tsx",
  "app/routes/_app/preload-pages.ts",
  "app/ui/forms/create-buttons.tsx",
  "app/ui/forms/server-form.tsx",
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
