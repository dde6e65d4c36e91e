#!/usr/bin/env -S node --max-semi-space-size=4
// Entry of the command `backloom` and of `npm start`, `npm run dev`, `npm run admin` and `npm run worker`: plain Node
// without dependencies, because a clone may not have them yet. Reports a problem and its fix in one line.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import "./launch/platform.mjs";
import { fail, isPackage, root, typed } from "./launch/problem.mjs";

const [mode = "--help", ...rest] = process.argv.slice(2);

const { checkNode, checkPort, checkSpace } = await import("./launch/machine.mjs");
checkNode();
if (mode === "--help" || mode === "help") end(usage());
if (mode === "--version") end(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);

if (mode === "skills") {
  const { installSkills } = await import("./launch/skills.mjs");
  end(installSkills(rest));
}

/** Program of each command word, followed by its first arguments. */
const programs = { start: ["start"], worker: ["worker"], admin: ["admin"] };
for (const word of ["doctor", "backup", "restore"]) programs[word] = ["admin", word];
if (!isPackage) programs.dev = ["start"];
if (!Object.hasOwn(programs, mode)) {
  fail(`There is no "${mode}"; use one of ${[...Object.keys(programs), "skills"].join(", ")}`);
}
const [program, ...words] = programs[mode];
if (program === "start" && rest.length > 0) {
  if (rest.includes("--help")) end(usage());
  fail(`"${mode}" takes no options; set variables, for example "PORT=4000 ${typed(mode)}"`);
}

if (!isPackage) await ensureInstalled();
readSettings();
if (program === "start") {
  checkSpace(resolve(process.env.DATA_DIR || ".data"));
  await checkPort(Number(process.env.PORT || 3000), process.env.HOST || "127.0.0.1");
}
process.env.NODE_ENV ??= mode === "dev" ? "development" : "production";
if (!isPackage) await ensureBuilt();

const file = join(root, "build", isPackage ? "package" : "programs", `${program}.js`);
process.argv = [process.argv[0], file, ...words, ...rest];
await import(file);

async function ensureInstalled() {
  const packages = await import("./launch/packages.mjs");
  packages.ensureInstalled();
}

/** Loads `.env` in a clone, `backloom.env` for a package: in other folders `.env` belongs to other software. */
function readSettings() {
  const settings = isPackage ? resolve("backloom.env") : join(root, ".env");
  if (existsSync(settings)) process.loadEnvFile(settings);
}

async function ensureBuilt() {
  const { buildIfStale } = await import("./build.mjs");
  try {
    if (mode === "start") await buildIfStale("pages");
    await buildIfStale("programs");
  } catch (error) {
    fail(`The build failed (${firstLine(error)}); "npm run build" shows all of it`);
  }
}

/** Returns the line of a build's output that names the error. Warnings come before it, the stack after it. */
function firstLine(error) {
  const output = String(error instanceof Error ? error.message : error);
  const named = /error during build:\s*(.+)/.exec(output) ?? /^(?!\s*at ).*error.*$/im.exec(output);
  return named?.[1] ?? named?.[0] ?? output.split("\n")[0];
}

function usage() {
  return [
    "backloom start             start the service on http://localhost:3000, with its database in .data",
    "backloom worker --help     run jobs with your coding agent",
    "backloom admin --help      manage accounts, tokens and products; import and export",
    "backloom backup            copy the data folder while the service runs: --to <folder>, --keep <number>",
    "backloom restore <copy>    fill an empty DATA_DIR with such a copy",
    "backloom skills install    write skills for the coding agents on PATH that read them",
    "backloom doctor            check an installation, and say how to fix it",
    "",
    `Set variables (PORT=4000, DATA_DIR=/srv/backloom) in the environment, or in ${isPackage ? "backloom.env" : ".env"} in this folder.`,
  ].join("\n");
}

function end(text) {
  process.stdout.write(`${text}\n`);
  process.exit(0);
}
