// Entry of `npm run test:repeat [rounds] [paths]`: full runs in a row, until one fails. What fails once in twenty is a defect.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled } from "../../app/cli/launch/packages.mjs";
import { root } from "../../app/cli/launch/problem.mjs";

const [rounds = "20", ...given] = process.argv.slice(2);
const paths =
  given.length > 0 ? given : ["tests/streams", "tests/races", "tests/worker", "tests/server"];

ensureInstalled();
for (let round = 1; round <= Number(rounds); round++) {
  const began = Date.now();
  const program = [join(root, "node_modules/vitest/vitest.mjs"), "run", ...paths];
  const { status } = spawnSync(process.execPath, program, { cwd: root, stdio: "inherit" });
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`== Run ${round} of ${rounds}: ${status === 0 ? "passed" : "failed"}, ${seconds} s`);
  if (status !== 0) process.exit(1);
}
console.log(`${rounds} runs in a row without a failure`);
