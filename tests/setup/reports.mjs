// What the runners of tests wrote about a run: how many passed, and which failed with what words.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "../../app/cli/launch/problem.mjs";

/** A message is shown again at the end of a long output: its first lines say what was expected and where. */
const linesOfAMessage = 12;

/** `{ passed, failures }` of vitest's report; a failure is the text that names it. */
export function readVitest(path) {
  const { numPassedTests = 0, testResults = [] } = readJson(path);
  return { passed: numPassedTests, failures: testResults.flatMap(failuresOfFile) };
}

function failuresOfFile(file) {
  const name = relative(root, file.name);
  const failed = file.assertionResults.filter((test) => test.status === "failed");
  // A file that could not even be loaded, or whose closing hook failed, has no failed test in it.
  if (failed.length === 0 && file.status === "failed") return [failure(name, file.message)];
  return failed.map((test) =>
    failure(`${name} > ${test.fullName}`, test.failureMessages.join("\n")),
  );
}

/** The same of Playwright's report. */
export function readPlaywright(path) {
  const { stats = {}, suites = [], errors = [] } = readJson(path);
  const specs = suites.flatMap(specsOf).filter((spec) => !spec.ok);
  const failures = specs.map((spec) => {
    const results = spec.tests.flatMap((test) => test.results);
    const messages = results.flatMap((result) => result.errors.map((error) => error.message));
    return failure(`${spec.file} > ${spec.title}`, messages.join("\n"));
  });
  const outside = errors.map((error) => failure("outside of a test", error.message));
  return { passed: stats.expected ?? 0, failures: [...failures, ...outside] };
}

function specsOf(suite) {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];
}

function failure(name, message) {
  const lines = stripVTControlCharacters(message ?? "").split("\n");
  return [name, ...lines.slice(0, linesOfAMessage).map((line) => `    ${line}`)].join("\n");
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
