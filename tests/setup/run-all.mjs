// Entry of `npm test`: installs what is missing, runs every part, and ends with one line that sums them up.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkNode } from "../../app/cli/launch/machine.mjs";
import { ensureInstalled } from "../../app/cli/launch/packages.mjs";
import { root } from "../../app/cli/launch/problem.mjs";

checkNode();
ensureInstalled();

const reports = mkdtempSync(join(tmpdir(), "backloom-reports-"));
const bin = (path) => join(root, "node_modules", path);

/** The tests of the contract run a second time with every call going through the Data API; not those of what comes before it. */
const contractTests = ["tests/api", "tests/mcp", "tests/accounts", "tests/pairing"];
const beforeTheDatabase = ["--exclude", "tests/api/worst-cases.test.ts"];

const parts = [
  { title: "Types", run: () => single(bin("typescript/bin/tsc"), ["--noEmit"]) },
  {
    title: "Formatting and lint",
    run: () => single(bin("@biomejs/biome/bin/biome"), ["check", "."]),
  },
  { title: "Unused code", run: () => single(bin("knip/bin/knip.js"), ["--no-config-hints"]) },
  { title: "Tests", run: () => vitest("direct", []) },
  {
    title: "Contract tests through the Data API",
    run: () => vitest("http", [...contractTests, ...beforeTheDatabase]),
  },
  { title: "Journeys in the browser", run: playwright },
];

const total = { passed: 0, failed: 0 };
for (const part of parts) {
  console.log(`\n== ${part.title}`);
  const { passed, failed } = part.run();
  console.log(`== ${part.title}: ${passed} passed, ${failed} failed`);
  total.passed += passed;
  total.failed += failed;
}
rmSync(reports, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function single(program, programArguments) {
  const { status } = runNode(program, programArguments, {});
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function vitest(transport, files) {
  const report = join(reports, `vitest-${transport}.json`);
  const { status } = runNode(
    bin("vitest/vitest.mjs"),
    ["run", ...files, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { TRANSPORT: transport },
  );
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = readJson(report);
  // A file that could not even be loaded has no failed test in it.
  const broken = testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  return atLeastOne(status, { passed: numPassedTests, failed: numFailedTests + broken.length });
}

function playwright() {
  const report = join(reports, "playwright.json");
  const { status } = runNode(
    bin("@playwright/test/cli.js"),
    ["test", "--config", "tests/playwright.config.ts"],
    { PLAYWRIGHT_JSON_OUTPUT_NAME: report },
  );
  const { expected = 0, unexpected = 0 } = readJson(report).stats ?? {};
  return atLeastOne(status, { passed: expected, failed: unexpected });
}

/** A part that ended badly without naming a test has failed all the same. */
function atLeastOne(status, counts) {
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function runNode(program, programArguments, env) {
  return spawnSync(process.execPath, [program, ...programArguments], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
