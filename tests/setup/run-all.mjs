// Entry of `npm test`, and with `all` of `npm run test:all`, which adds what is thorough (`thorough.mjs`) and what only
// compares: installs what is missing, runs every part, and ends with one line that sums them up.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkNode } from "../../app/cli/launch/machine.mjs";
import { ensureInstalled } from "../../app/cli/launch/packages.mjs";
import { root } from "../../app/cli/launch/problem.mjs";
import { readPlaywright, readVitest } from "./reports.mjs";

checkNode();
ensureInstalled();

const isAll = process.argv.includes("all");
const reports = mkdtempSync(join(tmpdir(), "backloom-reports-"));
const length = isAll ? {} : { TESTS: "short" };
const bin = (path) => join(root, "node_modules", path);

/** The tests of the contract, and the transport over which they run a second time: every call goes through the Data API. */
const contractTests = ["tests/api", "tests/mcp", "tests/accounts", "tests/pairing"];
const comparing = [{ title: "Contract tests through the Data API", run: () => vitest("http", contractTests) }];

const parts = [
  { title: "Tests", run: () => vitest("direct", []) },
  check("Types", "typescript/bin/tsc", "--noEmit"),
  check("Formatting and lint", "@biomejs/biome/bin/biome", "check", "."),
  check("Unused code", "knip/bin/knip.js", "--no-config-hints"),
  { title: "Journeys in the browser", run: playwright },
  ...(isAll ? comparing : []),
];

const slowestShown = 20;
const lastCharacters = 4000;

const total = { passed: 0, failures: [], files: [] };
for (const part of parts) {
  console.log(`\n== ${part.title}`);
  const { passed, failures, files = [] } = await part.run();
  console.log(`== ${part.title}: ${passed} passed, ${failures.length} failed`);
  total.passed += passed;
  total.failures.push(...failures.map((text) => `${part.title}: ${text}`));
  total.files.push(...files.map((file) => ({ ...file, part: part.title })));
}
rmSync(reports, { recursive: true, force: true });
console.log("\n== Slowest files");
for (const { name, seconds, part } of total.files.sort((a, b) => b.seconds - a.seconds).slice(0, slowestShown))
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name} (${part})`);
// Thousands of lines lie between a failure and the end, where everyone looks first.
if (total.failures.length > 0) console.log(`\n== Failed\n${total.failures.join("\n\n")}`);
console.log(`\n${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length === 0 ? 0 : 1;

/** What reads the sources only begins at once, beside the tests, and says what it found after them. */
function check(title, program, ...words) {
  const ended = new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: 100_000_000 };
    execFile(process.execPath, [bin(program), ...words], options, (error, stdout, stderr) =>
      resolve({ isFine: error === null, output: stdout + stderr }),
    );
  });
  const run = async () => {
    const { isFine, output } = await ended;
    process.stdout.write(output);
    return isFine ? { passed: 1, failures: [] } : { passed: 0, failures: ["see above"] };
  };
  return { title, run };
}

async function vitest(transport, files) {
  const report = join(reports, `vitest-${transport}.json`);
  const ending = await runNode(
    bin("vitest/vitest.mjs"),
    [
      "run",
      ...files,
      ...(isAll ? [] : ["--tags-filter=!thorough"]),
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    { ...length, TRANSPORT: transport, TRANSFORMED_MODULES: join(reports, "modules") },
  );
  return atLeastOne(ending, readVitest(report));
}

async function playwright() {
  const report = join(reports, "playwright.json");
  const ending = await runNode(bin("@playwright/test/cli.js"), ["test", "--config", "tests/playwright.config.ts"], {
    ...length,
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
  return atLeastOne(ending, readPlaywright(report));
}

/** A part that ended badly without naming a test has failed all the same; its last words say why. */
function atLeastOne({ status, lastWords }, result) {
  if (status === 0 || result.failures.length > 0) return result;
  return { ...result, failures: [`ended with ${status} without naming a test:\n${lastWords}`] };
}

/** `{ status, lastWords }`: the exit code or the signal, and the end of what was written as an error. */
async function runNode(program, programArguments, env) {
  const child = spawn(process.execPath, [program, ...programArguments], {
    cwd: root,
    stdio: ["inherit", "inherit", "pipe"],
    env: { ...process.env, ...env },
  });
  let lastWords = "";
  child.stderr.on("data", (data) => {
    process.stderr.write(data);
    lastWords = (lastWords + data).slice(-lastCharacters);
  });
  const [code, signal] = await once(child, "close");
  return { status: code ?? signal, lastWords };
}
