// Entry of `npm run build`, and used by the launcher: the pages with Vite, the programs with esbuild.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { root } from "./launch/problem.mjs";

/** What each part is made from; a change in any of it makes the part stale. */
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
  programs: ["app", "supabase/embedded", "package-lock.json", "package.json"],
};
const results = { pages: "build/pages/server/index.js", programs: "build/programs/start.js" };
const programs = {
  start: "app/server/start.ts",
  admin: "app/cli/admin.ts",
  worker: "app/worker/main.ts",
};

/** Builds what is stale, one process at a time: two at once would take each other's files away. */
export async function buildIfStale(part) {
  if (!isStale(part)) return;
  const lock = join(root, "node_modules", ".building");
  while (!takeLock(lock)) await delay(200);
  try {
    if (!isStale(part)) return;
    // What a build leaves that is stopped half-way must not pass for whole.
    rmSync(stampOf(part), { force: true });
    await (part === "pages" ? buildPages() : bundle());
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A lock of a process that has died is nobody's. */
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
  if (!existsSync(join(root, results[part]))) return true;
  return readIfThere(stampOf(part)) !== fingerprint(sources[part]);
}

/** The Remix build: client files and the server build. */
async function buildPages() {
  const print = fingerprint(sources.pages);
  process.stderr.write("Building the pages ...\n");
  const remix = join(root, "node_modules/@remix-run/dev/dist/cli.js");
  const result = spawnSync(process.execPath, [remix, "vite:build"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (result.status !== 0) throw new Error(`${result.stderr}\n${result.stdout}`.trim());
  writeStamp("pages", print);
}

/** The programs of this clone. */
async function bundle() {
  const print = fingerprint(sources.programs);
  removeOldChunks(join(root, "build/programs"));
  await bundlePrograms({ outdir: "build/programs", packages: "external" });
  await bundleWorkerFile("build/programs");
  writeStamp("programs", print);
}

/** The programs: one file each, packages left outside, embedded parts loaded only when needed. */
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

/** What was written as CommonJS asks for Node's own modules. */
export const requireBanner = {
  js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
};

/** The worker with everything that it needs in one file, for machines that have Node and git and nothing of ours. */
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
    alias: { "~": "./app" },
    banner: requireBanner,
    plugins: [oneLanguage, noJsonSchemas],
    logLevel: "silent",
  });
}

/** What zod says in fifty other languages is a quarter of the file, and read at every start. */
const oneLanguage = {
  name: "one language",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "" })),
};

const monthMs = 30 * 86_400_000;

/** A running server or worker may still load a chunk of the build before; those of another month are in nobody's way. */
function removeOldChunks(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (Date.now() - statSync(file).mtimeMs > monthMs) rmSync(file, { force: true });
  }
}

/**
 * The client of the protocol can check answers against the schemas of tools that it has listed, with a library of a sixth of the
 * file. The worker lists none and reads each answer with its own schema.
 */
const noJsonSchemas = {
  name: "no JSON schemas",
  setup: ({ onLoad }) =>
    onLoad({ filter: /@modelcontextprotocol\/client\/dist\/shimsNode\.mjs$/ }, () => ({
      contents: `export const CORS_IS_POSSIBLE = false;
        export class DefaultJsonSchemaValidator {
          getValidator() { return (data) => ({ valid: true, data, errorMessage: undefined }); }
        }`,
    })),
};

function stampOf(part) {
  return join(root, "build", `.${part}`);
}

function writeStamp(part, print) {
  mkdirSync(join(root, "build"), { recursive: true });
  writeFileSync(stampOf(part), print);
}

function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const path of paths) addTo(hash, path);
  return hash.digest("hex");
}

function addTo(hash, path) {
  const full = join(root, path);
  const stat = statSync(full, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isDirectory()) {
    for (const name of readdirSync(full).sort()) addTo(hash, join(path, name));
    return;
  }
  hash.update(path).update("\0").update(readFileSync(full)).update("\0");
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
