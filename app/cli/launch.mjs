// Entry of `npm start`, `npm run dev`, `npm run admin` and `npm run worker`: plain Node without
// dependencies, because they may not be installed yet. Says in one line what is wrong and how to mend it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./launch/problem.mjs";

const [mode = "start", ...rest] = process.argv.slice(2);

const { checkNode, checkPort, checkSpace } = await import("./launch/machine.mjs");
checkNode();
const { ensureInstalled } = await import("./launch/packages.mjs");
ensureInstalled();
if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));

const entries = { start: "start", dev: "start", admin: "admin", worker: "worker" };
const entry = entries[mode] ?? fail(`There is no "${mode}"; use start, dev, admin or worker`);

if (mode === "start" || mode === "dev") {
  checkSpace(process.env.DATA_DIR || join(root, ".data"));
  await checkPort(Number(process.env.PORT || 3000), process.env.HOST || "127.0.0.1");
}

process.env.NODE_ENV ??= mode === "dev" ? "development" : "production";
const { bundle, buildPages, isStale } = await import("./build.mjs");
try {
  if (mode === "start" && isStale("pages")) await buildPages();
  if (isStale("programs")) await bundle();
} catch (error) {
  fail(`The build failed (${firstLine(error)}); "npm run build" shows all of it`);
}

process.argv = [process.argv[0], join(root, "build/programs", `${entry}.js`), ...rest];
await import(`../../build/programs/${entry}.js`);

/** The line of a build's output that names the error; warnings come before it, the stack after it. */
function firstLine(error) {
  const output = String(error instanceof Error ? error.message : error);
  const named = /error during build:\s*(.+)/.exec(output) ?? /^(?!\s*at ).*error.*$/im.exec(output);
  return named?.[1] ?? named?.[0] ?? output.split("\n")[0];
}
