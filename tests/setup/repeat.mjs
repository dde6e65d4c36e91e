// Entry of `npm run test:repeat [rounds] [paths]` and `npm run test:repeat whole [rounds]`: runs in a row, one line each,
// until one fails, which says what did. What fails once in twenty is a defect.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled } from "../../app/cli/launch/packages.mjs";
import { root } from "../../app/cli/launch/problem.mjs";
import { readVitest } from "./reports.mjs";

const words = process.argv.slice(2);
const isWhole = words[0] === "whole";
const [rounds = isWhole ? "5" : "20", ...given] = isWhole ? words.slice(1) : words;
const paths = given.length > 0 ? given : ["tests/streams", "tests/races", "tests/worker", "tests/server"];

ensureInstalled();
const folder = mkdtempSync(join(tmpdir(), "backloom-repeat-"));
const output = join(folder, "output.txt");
const report = join(folder, "vitest.json");
const program = isWhole
  ? [join(root, "tests/setup/run-all.mjs")]
  : [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      ...paths,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ];

for (let round = 1; round <= Number(rounds); round++) {
  const began = Date.now();
  const file = openSync(output, "w");
  const options = { cwd: root, stdio: ["ignore", file, file] };
  const { status } = spawnSync(process.execPath, program, options);
  closeSync(file);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`== Run ${round} of ${rounds}: ${status === 0 ? "passed" : "failed"}, ${seconds} s`);
  if (status === 0) continue;
  console.log(`\n${whatFailed()}\n\nAll that it said: ${output}`);
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
console.log(`${rounds} runs in a row without a failure`);

/** By its report; a run that wrote none says it at its end. */
function whatFailed() {
  const { failures } = isWhole ? { failures: [] } : readVitest(report);
  if (failures.length > 0) return failures.join("\n\n");
  const text = readFileSync(output, "utf8");
  const at = text.lastIndexOf("\n== Failed\n");
  return at >= 0 ? text.slice(at + 1).trim() : text.split("\n").slice(-40).join("\n");
}
