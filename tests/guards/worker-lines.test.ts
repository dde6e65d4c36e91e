import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { setups } from "~/routes/_app.connect/setups";
import { optionNames, readOptions, usage } from "../../worker/base/options";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = ["README.md", "docs/worker.md", "docs/running.md"].map((file) => ({
  file,
  text: readFileSync(root + file, "utf8"),
}));
const connect = setups({ origin: "http://localhost:3000", token: "blm_x", product: null })
  .flatMap(({ blocks }) => blocks)
  .map(({ text }) => ({ file: "Connect", text }));

/** Options of other programs that the pages name next to the worker's. */
const ofOthers = new Set(
  "--acp --body --effort --fill --head --header --help --json --no-save --output-format --prompt-file --resume --title --transport --verbose".split(
    " ",
  ),
);
const named = (text: string) => new Set(text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []);
const known = named(usage);

const lines = [...pages, ...connect].flatMap(({ file, text }) =>
  text
    .split("\n")
    .filter((line) => line.includes("backloom-worker.mjs --"))
    .map((line) => ({ file, line: line.trim() })),
);

function wordsOf(line: string): string[] {
  const stand = `curl() { :; }; node() { shift; printf '%s\\0' "$@"; }`;
  const said = execFileSync("sh", ["-c", `${stand}\n${line}`], {
    encoding: "utf8",
    env: { ...process.env, TOKEN: "blm_x", BACKLOOM_TOKEN: "blm_x" },
  });
  return said.split("\0").slice(0, -1);
}

it("README.md, docs/worker.md and the page Connect each have lines that start a worker", () => {
  expect(new Set(lines.map(({ file }) => file))).toEqual(new Set(["README.md", "docs/worker.md", "Connect"]));
});

it.each(lines)("The worker takes the line in $file: $line", ({ line }) => {
  expect(() => readOptions(wordsOf(line), { BACKLOOM_TOKEN: "blm_x" })).not.toThrow();
});

it("Each line to type runs the worker from where it was downloaded", () => {
  const places = ["README.md", "app", "worker", "docs", "supabase/schemas"];
  const words = ["grep", "-nE", "(node|-o) backloom-worker.mjs", "--", ...places];
  const { stdout, stderr } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
  expect(stdout + stderr).toBe("");
});

it.each([...pages, ...connect])("$file names no option of the worker that --help does not know", ({ text }) => {
  const about = text.split("\n").filter((line) => !/\badmin\b/.test(line));
  const unknown = [...named(about.join("\n"))].filter((option) => !known.has(option) && !ofOthers.has(option));
  expect(unknown).toEqual([]);
});

it("The worker's page leaves out no option", () => {
  const told = named(pages.find(({ file }) => file === "docs/worker.md")?.text ?? "");
  expect([...known].filter((option) => !told.has(option))).toEqual([]);
});

it.each([
  ["--timeout", "x", "must be a number"],
  ["--silence", "35792", "must be at most 35791"],
  ["--allow", "none", "must be one of edit, commands, all"],
  ["--kinds", "chores", "must be one of TASK_IMPLEMENTATION"],
])("The worker says what %s must be when it is %s", (option, value, said) => {
  const words = ["--url", "http://localhost", "--exec", "demo", option, value];
  expect(() => readOptions(words, { BACKLOOM_TOKEN: "blm_x" })).toThrow(`${option}: ${said}`);
});

it("The worker's --help names every option", () => {
  const options = optionNames.map((name) => `--${name}`);
  expect(options.filter((option) => !known.has(option))).toEqual([]);
});
