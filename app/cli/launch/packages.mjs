import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./problem.mjs";

/** Runs `npm install` if packages are missing or differ from the lock file. */
export function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write("Installing packages (npm install) ...\n");
  // npm prints to stderr, so that a command with --json prints only its answer to stdout.
  const result = spawnSync("npm", ["install", "--include=dev", "--include=optional"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
    env: { ...process.env, NODE_ENV: "" },
  });
  if (result.error?.code === "ENOENT") fail("npm was not found; install it together with Node");
  if (result.status !== 0) fail('npm install failed (see above); fix the cause and run "npm install" again');
}

function isInstalled() {
  const wanted = readJson("package-lock.json");
  const installed = readJson("node_modules/.package-lock.json");
  if (!wanted || !installed) return false;
  return Object.entries(wanted.packages).every(
    ([path, entry]) =>
      path === "" ||
      isForElsewhere(entry) ||
      (installed.packages[path]?.version === entry.version && existsSync(join(root, path, "package.json"))),
  );
}

/** Whether a package may be missing: it is for other systems, or optional and not installable here. */
function isForElsewhere(entry) {
  return Boolean(entry.optional || entry.devOptional || entry.peer || entry.link || entry.extraneous);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return null;
  }
}
