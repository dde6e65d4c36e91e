import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./problem.mjs";

/** Installs with `npm install` when packages are missing or have other versions than the lock file. */
export function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write("Installing packages (npm install) ...\n");
  // Output of npm goes to stderr, so that a command with --json prints nothing but its answer.
  const result = spawnSync("npm", ["install", "--include=dev", "--include=optional"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
    env: { ...process.env, NODE_ENV: "" },
  });
  if (result.error?.code === "ENOENT") fail("npm was not found; install it together with Node");
  if (result.status !== 0) {
    fail('npm install failed (see above); fix the cause and run "npm install" again');
  }
}

function isInstalled() {
  const wanted = readJson("package-lock.json");
  const installed = readJson("node_modules/.package-lock.json");
  if (!wanted || !installed) return false;
  return Object.entries(wanted.packages).every(
    ([path, entry]) =>
      path === "" ||
      isForElsewhere(entry) ||
      (installed.packages[path]?.version === entry.version &&
        existsSync(join(root, path, "package.json"))),
  );
}

/** Parts for other systems, and what came along optionally and could not be installed here. */
function isForElsewhere(entry) {
  return Boolean(
    entry.optional || entry.devOptional || entry.peer || entry.link || entry.extraneous,
  );
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return null;
  }
}
