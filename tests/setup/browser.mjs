import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const sparticuz = "@sparticuz/chromium";
const sparticuzVersion = "147.0.0";
/** Debian's Chromium that draws pages only: a journey costs it a fifth less than one with a window around each page. */
const withoutWindows = "chromium-headless-shell";
const isRoot = process.getuid?.() === 0;
const require = createRequire(import.meta.url);

const quietFlags = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/**
 * The Chromium for the browser tests, installed when there is none. Never skips: when nothing works,
 * it fails with the commands that a person can try.
 */
export async function ensureBrowser() {
  return (await findBrowser()) ?? (await installBrowser()) ?? giveUp();
}

/** What is there already: the one named by E2E_BROWSER, Playwright's own, the system's (without windows first), the packed one. */
export async function findBrowser() {
  const named = process.env.E2E_BROWSER;
  if (named) return existsSync(named) ? launchOptions(named) : giveUp(`E2E_BROWSER ${named} is not there`);
  const { chromium } = await import("@playwright/test");
  const own = chromium.executablePath();
  if (own && existsSync(own)) return launchOptions(own);
  return fromPath() ?? (await fromPackage());
}

async function installBrowser() {
  const machine = `${process.platform}-${process.arch}`;
  if (isRoot && onPath("apt-get")) {
    run("apt-get", ["update"]);
    // Not every distribution has the one without windows.
    for (const name of [withoutWindows, "chromium"]) {
      run("apt-get", ["install", "-y", "--no-install-recommends", name]);
      const found = fromPath();
      if (found) return found;
    }
  }
  if (machine === "linux-x64") {
    run("npm", ["install", "--no-save", `${sparticuz}@${sparticuzVersion}`]);
    const found = await fromPackage();
    if (found) return found;
  }
  run("npx", ["playwright", "install", "chromium"]);
  return findBrowser();
}

function fromPath() {
  const lean = onPath(withoutWindows);
  if (lean) return launchOptions(lean);
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const path = onPath(name);
    if (path) return withoutItsOwnPages(path);
  }
  return undefined;
}

/** A whole Chromium; the one of Playwright and the packed one have no window to draw. */
function withoutItsOwnPages(path) {
  const script = fileURLToPath(new URL("chromium.sh", import.meta.url));
  return { ...launchOptions(script), env: { ...process.env, CHROMIUM: path } };
}

/** Its own `args` switch web security off and would hide faults of ours, so they are not used. */
async function fromPackage() {
  try {
    require.resolve(sparticuz);
  } catch {
    return undefined;
  }
  // Without NSS on the machine the package brings its own libraries, if it thinks it runs on Lambda.
  if (!hasNss()) process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs20.x";
  const { default: packed } = await import(sparticuz);
  return { executablePath: await packed.executablePath(), args: ["--no-sandbox", ...quietFlags] };
}

function hasNss() {
  const result = spawnSync("ldconfig", ["-p"], { encoding: "utf8" });
  return Boolean(result.stdout?.includes("libnss3"));
}

function launchOptions(executablePath) {
  return { executablePath, args: isRoot ? ["--no-sandbox", ...quietFlags] : quietFlags };
}

function onPath(name) {
  for (const folder of (process.env.PATH ?? "").split(":")) {
    const path = join(folder, name);
    if (folder && existsSync(path)) return path;
  }
  return undefined;
}

function run(command, commandArguments) {
  process.stderr.write(`No Chromium yet: ${command} ${commandArguments.join(" ")}\n`);
  try {
    execFileSync(command, commandArguments, { stdio: ["ignore", 2, 2] });
  } catch {
    process.stderr.write(`${command} did not bring one\n`);
  }
}

function giveUp(reason = "No Chromium for the browser tests was found or could be installed") {
  throw new Error(
    `${reason}. Try one of:\n  apt-get install -y ${withoutWindows}\n  npm install --no-save ${sparticuz}@${sparticuzVersion}\n  npx playwright install chromium`,
  );
}
