import { fileURLToPath } from "node:url";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";
import { answerForBrowsers, listPagesOnly, minifyAgain } from "./vite.lean";

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), remix(remixConfig), answerForBrowsers(), minifyAgain(), listPagesOnly()],
  resolve: { alias: { "~": fileURLToPath(new URL("./app", import.meta.url)) } },
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

/** What carries a library of its own, or is needed on some pages only. */
const notEverywhere =
  /\/(server-form|panel-tabs|tooltip|audit-trail|auth-frame|delete-product|describe-browser|copy-button|copy-text|side-panel|table|fresh-rows|tabs|forecast|run-segments|dependencies|priority|use-steady-rows|delete-thing|hidden-fields|pasted-text|prose|tasks-of-selection|use-candidates)\.tsx?$/;

/** Moving cards is loaded after the page. */
const laterParts =
  /\/(board\/(touch-drag|mouse-drag|board-hands|use-keyboard-move|placing|lane-keys)|dialog)\.tsx?$/;

/** What a list of rows needs at first; keys, menus and the peek come after the page. */
const firstOfThings =
  /\/things\/(at-hand|selecting-button|selection|things-at-hand|use-changes|use-pointer-selection)\.tsx?$/;

/** What stands around every signed-in page. */
const shell =
  /\/app\/(root|live\/live-indicator|routes\/_app\/(bottom-bar|keys|navigation|product-switch|recent|route|shell-live|sidebar|top-bar|undo-answers|user-menu)|routes\/_app\.products\.\$productId\/route)\.tsx?$/;

/**
 * The small parts that nearly every page uses, in one file: it compresses better than forty. Rows and boards are among them. A folder of parts is
 * else left to Rollup, which gives a page what it imports: one file a folder would load a whole folder for one line of it.
 */
function sharedParts(id: string): string | undefined {
  if (shell.test(id)) return "parts";
  const [, path] = id.split("/app/components/");
  if (path === undefined || id.includes(".server.")) return;
  if (notEverywhere.test(id) || laterParts.test(id)) return;
  const [folder, file] = path.split("/");
  if (file === undefined) return "parts";
  // Pages that show one of them show most of them.
  if (folder === "budgets") return "budgets";
  return folder === "board" || firstOfThings.test(id) ? "parts" : undefined;
}
