// Entry of `npm run test:agents`: installs the agents that the tests know into a cache outside of the project (about 2 GB),
// and runs them against scripted models. With a name behind it (claude, codex, gemini, opencode) it does so for that one.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "../../app/cli/launch/problem.mjs";

const cache = process.env.AGENTS_CACHE ?? join(homedir(), ".cache", "backloom-agents");

/** Folder of the cache, package, and the script that puts its program in place (npm runs none by itself here). */
const tools = [
  { of: "claude", folder: "claude-code", name: "@anthropic-ai/claude-code", version: "2.1.332", script: "install.cjs" },
  { of: "claude", folder: "claude-acp", name: "@agentclientprotocol/claude-agent-acp", version: "0.101.0" },
  { of: "codex", folder: "codex", name: "@openai/codex", version: "0.171.0" },
  { of: "codex", folder: "codex-acp", name: "@agentclientprotocol/codex-acp", version: "2.6.0" },
  { of: "gemini", folder: "gemini-cli", name: "@google/gemini-cli", version: "0.61.0" },
  { of: "opencode", folder: "opencode", name: "opencode-ai", version: "1.18.33", script: "postinstall.mjs" },
];

const wanted = process.argv[2];
for (const tool of tools) {
  if (wanted === undefined || tool.of === wanted) install(tool);
}
const files = ["real-tools", "whole-service"].map((name) => `tests/agents/${name}.test.ts`);
const words = ["run", ...files, "--reporter=verbose"];
if (wanted !== undefined) words.push("-t", wanted);
process.exitCode = run(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), ...words], root);

function install({ folder, name, version, script }) {
  const home = join(cache, folder);
  const place = join(home, "node_modules", name);
  if (versionIn(place) === version) return;
  console.log(`Installing ${name} ${version} into ${home}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), '{ "private": true }\n');
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"];
  if (run("npm", ["install", "--prefix", home, ...flags, `${name}@${version}`], home) !== 0) {
    throw new Error(`${name} could not be installed`);
  }
  if (script !== undefined && run(process.execPath, [script], place) !== 0) {
    throw new Error(`${name} could not be put in place`);
  }
}

function versionIn(place) {
  const file = join(place, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

function run(program, programArguments, cwd) {
  return spawnSync(program, programArguments, { cwd, stdio: "inherit" }).status;
}
