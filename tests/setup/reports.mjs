// What the runners of tests wrote about a run: how many passed, which failed with what words, and how long each file took.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "../../app/cli/launch/problem.mjs";

/** A message is shown again at the end of a long output: its first lines say what was expected and where. */
const linesOfAMessage = 12;

/** `{ passed, failures, files }` of vitest's report; a failure is the text that names it. */
export function readVitest(path) {
  const { numPassedTests = 0, testResults = [] } = readJson(path);
  const files = testResults.map(({ name, startTime, endTime }) => ({
    name: relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }));
  return { passed: numPassedTests, failures: testResults.flatMap(failuresOfFile), files };
}

function failuresOfFile(file) {
  const name = relative(root, file.name);
  const failed = file.assertionResults.filter((test) => test.status === "failed");
  // A file that could not even be loaded, or whose closing hook failed, has no failed test in it.
  if (failed.length === 0 && file.status === "failed") return [failure(name, file.message)];
  return failed.map((test) => failure(`${name} > ${test.fullName}`, test.failureMessages.join("\n")));
}

export function readPlaywright(path) {
  const { stats = {}, suites = [], errors = [] } = readJson(path);
  const specs = suites.flatMap(specsOf);
  const failures = specs.filter(isRed).map((spec) => {
    const messages = resultsOf(spec).flatMap(({ errors }) => errors.map(({ message }) => message));
    return failure(`${spec.file} > ${spec.title}`, messages.join("\n"));
  });
  const outside = errors.map((error) => failure("outside of a test", error.message));
  const seconds = new Map();
  for (const spec of specs)
    for (const { duration } of resultsOf(spec)) seconds.set(spec.file, (seconds.get(spec.file) ?? 0) + duration / 1000);
  const files = [...seconds].map(([file, took]) => ({ name: `tests/e2e/${file}`, seconds: took }));
  return { passed: stats.expected ?? 0, failures: [...failures, ...outside], files };
}

const isRed = (spec) => !spec.ok;

const resultsOf = (spec) => spec.tests.flatMap((test) => test.results);

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
