// Entry of `npm run build`, also used by the launcher. Builds the pages with Vite and the programs with esbuild.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { root } from "./launch/problem.mjs";

/** Sources of each part. A change in any of them makes the part stale. */
const sources = {
  pages: [
    "app",
    "public",
    "package-lock.json",
    "vite.config.ts",
    "vite.threads.ts",
    "remix.config.js",
    "tailwind.config.ts",
  ],
  programs: ["app", "worker", "supabase/embedded", "package-lock.json", "package.json"],
};
const results = { pages: "build/pages/server/index.js", programs: "build/programs/start.js" };
const programs = { start: "app/server/start.ts", admin: "app/cli/admin.ts", worker: "worker/main.ts" };

/** Builds a part if it is stale, one process at a time: parallel builds would delete each other's files. */
export async function buildIfStale(part) {
  if (!isStale(part)) return;
  const lock = join(root, "node_modules", ".building");
  while (!takeLock(lock)) await delay(200);
  try {
    if (!isStale(part)) return;
    // An interrupted build must not count as complete.
    rmSync(stampOf(part), { force: true });
    await (part === "pages" ? buildPages() : bundle());
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Takes the build lock. Removes a lock whose process has died. */
function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const holder = Number(readIfThere(lock));
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function isStale(part) {
  const builtAt = statSync(stampOf(part), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (!existsSync(join(root, results[part]))) return true;
  return sources[part].some((path) => changedAt(join(root, path)) > builtAt);
}

async function buildPages() {
  const begun = new Date();
  process.stderr.write("Building the pages ...\n");
  const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");
  const result = spawnSync(process.execPath, [remix, "vite:build"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (result.status !== 0) throw new Error(`${result.stderr}\n${result.stdout}`.trim());
  markBuilt("pages", begun);
}

async function bundle() {
  const begun = new Date();
  removeOldChunks(join(root, "build/programs"));
  await bundlePrograms({ outdir: "build/programs", packages: "external" });
  await bundleWorkerFile("build/programs");
  markBuilt("programs", begun);
}

/** Bundles each program into one file. Embedded parts are separate chunks, loaded only when needed. */
export async function bundlePrograms({ entryPoints = {}, ...options }) {
  const { build } = await import("esbuild");
  const present = Object.entries(programs).filter(([, file]) => existsSync(join(root, file)));
  await build({
    absWorkingDir: root,
    entryPoints: { ...Object.fromEntries(present), ...entryPoints },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    alias: { "~": "./app" },
    logLevel: "silent",
    ...options,
  });
}

/** Provides `require`, with which bundled CommonJS code loads Node's modules. */
export const requireBanner = {
  js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
};

/** Bundles the worker with all dependencies into one file, for machines that have only Node and git. */
export async function bundleWorkerFile(folder) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: [programs.worker],
    outfile: join(folder, "backloom-worker.mjs"),
    bundle: true,
    minify: true,
    legalComments: "none",
    platform: "node",
    target: "node20",
    format: "esm",
    // Its main file loads its own parts in a way that no bundler sees.
    alias: { "~": "./app", "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
    banner: requireBanner,
    logLevel: "silent",
  });
}

const monthMs = 30 * 86_400_000;

/** Removes chunks older than a month. Newer ones stay, because a running server or worker may still load them. */
function removeOldChunks(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > monthMs) rmSync(file, { force: true });
  }
}

function stampOf(part) {
  return join(root, "build", `.${part}`);
}

/** Stamps the part with the build's start, so that files saved during the build make it stale again. */
function markBuilt(part, begun) {
  mkdirSync(join(root, "build"), { recursive: true });
  writeFileSync(stampOf(part), "");
  utimesSync(stampOf(part), begun, begun);
}

/** Returns the latest change (ms) of a file, or in a folder. Adding or removing a file changes its folder. */
function changedAt(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  const inside = readdirSync(path).map((name) => changedAt(join(path, name)));
  return Math.max(stat.mtimeMs, ...inside);
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await buildPages();
  await bundle();
}
