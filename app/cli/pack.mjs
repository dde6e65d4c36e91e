// Runs before `npm pack`: builds what a clone builds at its first start.
import { readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { buildIfStale, bundlePrograms, bundleWorkerFile, requireBanner } from "./build.mjs";
import { ensureInstalled } from "./launch/packages.mjs";
import { root } from "./launch/problem.mjs";

ensureInstalled();
await buildIfStale("pages");
rmSync(join(root, "build/package"), { recursive: true, force: true });
await bundlePrograms({
  outdir: "build/package",
  entryPoints: { pages: "build/pages/server/index.js" },
  plugins: [{ name: "router", setup: (build) => build.onResolve({ filter: /^[^./~]/ }, place) }],
  banner: requireBanner,
  minify: true,
});
await bundleWorkerFile("build/package");

/** Bundles the router: a clone's `overrides` select the patched one, but npm ignores those of an installed package. */
function place({ path, resolveDir, kind }) {
  if (kind === "entry-point") return undefined;
  if (isBuiltin(path)) return { path, external: true };
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
  const isRouter = name.startsWith("@remix-run/") || name.startsWith("react-router");
  const isOurs = name in { ...dependencies, ...optionalDependencies, ...devDependencies };
  const isBeside = isOurs && !isRouter;
  return isBeside && resolveDir !== "" ? { path, external: true } : undefined;
}
