import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { type ReadResult, readResult } from "../../worker/job/turn/result-file";
import { at } from "../setup/world";
import { openStage, startRun, startUnplanned } from "./fixture";

const { t, ada, home, git, serveOnce } = await openStage("--heartbeat", "0.3");

/** What the worker reads of a file with this text. */
function read(text: string): Promise<ReadResult> {
  const file = join(home, "result.json");
  writeFileSync(file, text);
  const nobody = { clean: (one: string) => one, output: noOutput, journal: noJournal };
  return readResult(file, nobody);
}
const noOutput = { add: () => undefined, flush: async () => undefined, close: async () => undefined };
const noJournal = { say: () => undefined, sayOnce: () => undefined };

const good = { summary: "All well", evidence: [{ criterion: "c", command: "true" }] };
const withKey = (key: string, value: unknown) => JSON.stringify({ ...good, [key]: value });

it.each([
  ["a question that is null", withKey("question", null)],
  ["a question without words", withKey("question", { question: "", options: [] })],
  ["a null in its evidence", JSON.stringify({ ...good, evidence: [{ ...good.evidence[0], file: null }] })],
  ["evidence that is one object", withKey("evidence", good.evidence[0])],
  ["a comma too many", JSON.stringify(good).replace(/}$/, ",}").replace("]", ", ]")],
  ["a code fence", `\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\n`],
  ["words around it", `This is what I did:\n${JSON.stringify(good)}\nThat is all.`],
  ["a summary that is a list", withKey("summary", ["All well"])],
])("A result file loses nothing by %s", async (_what, text) => {
  expect(await read(text)).toEqual({ result: good });
});

it.each([
  ["a word in lower case", withKey("verify_result", "aligned"), { verify_result: "ALIGNED" }],
  [
    "a word in another form",
    withKey("evidence", [{ criterion: "c", verdict: "Passed", guards: "true" }]),
    { evidence: [{ criterion: "c", verdict: "pass", guards: true }] },
  ],
  ["a line break in a text", '{ "summary": "One\n\tTwo" }', { summary: "One\n\tTwo" }],
  [
    "a question that is a text",
    withKey("question", "Which greeting?"),
    { question: { question: "Which greeting?", options: [] } },
  ],
  [
    "a question beside its options",
    JSON.stringify({ question: "Which?", options: ["A", "B"], recommended_option: "1" }),
    { question: { options: [{ label: "A" }, { label: "B" }], recommended_option: 1 } },
  ],
  [
    "a guide with lines in quotes",
    withKey("guide", { title: "First", parts: { path: "a.ts", from: "1", to: "7" } }),
    { guide: [{ title: "First", parts: [{ path: "a.ts", from: 1, to: 7 }] }] },
  ],
  [
    "a guide with bare paths",
    withKey("guide", [{ title: "First", parts: ["a.ts"] }]),
    { guide: [{ parts: [{ path: "a.ts" }] }] },
  ],
  ["a failure in its own words", withKey("failure_class", "stuck"), { failure_class: "agent_error" }],
  ["a limit with a space", withKey("failure_class", "Rate limited"), { failure_class: "rate_limited" }],
])("A result file is understood with %s", async (_what, text, meant) => {
  const { result, ...slips } = await read(text);
  expect(result).toMatchObject(meant);
  expect(slips).toEqual({});
});

it.each([
  ["guide", [{ name: "no title" }, { title: "Kept" }], "guide[0].title is required"],
  ["guide", [{ title: "Kept", parts: [{ path: "a", from: "top" }] }], "guide[0].parts[0].from must be a number"],
  ["evidence", [...good.evidence, { command: "true" }], "evidence[1].criterion is required"],
  ["evidence", [{ ...good.evidence[0], url: "no" }], "evidence[0].url"],
  ["lessons", [1, "Kept"], "lessons[0] must be a string"],
  ["verify_result", "splendid", "verify_result must be one of ALIGNED"],
])("A result file with a fault in its %s loses that entry alone, and says where (%#)", async (key, value, words) => {
  const { result, leftOut, fault } = await read(withKey(key, value));
  expect(leftOut).toContain(`Left out of the result file: ${words}`);
  expect(fault).toBeUndefined();
  expect(result).toMatchObject({ summary: "All well", evidence: good.evidence });
  if (key === "guide") expect(result.guide).toMatchObject([{ title: "Kept" }]);
  if (key === "lessons") expect(result.lessons).toEqual(["Kept"]);
});

it.each([
  ["{\n  'summary': 1\n}", /^The result file is not JSON at line 2: Expected/],
  ['{\n"summary": "a"\n"question": "b" }', /^The result file is not JSON at line 3: Expected/],
  ['{ "summary": "a",\n\n "question": tru }', /^The result file is not JSON at line 3: Unexpected token/],
  ['{ "summary": "a"', /^The result file is not JSON at line 1: /],
  ["I have done it.", /^The result file is not JSON at line 1: Unexpected token/],
  ["[1]", /^The result file has no JSON object$/],
  ['{ "question": 7 }', /^The result file cannot be read: question must be an object$/],
  [
    '{ "implementation_plan": { "steps": 3 } }',
    /^The result file cannot be read: implementation_plan must be a string$/,
  ],
])("A result file of which no one can know what was meant is a fault (%#)", async (text, words) => {
  expect((await read(text)).fault).toMatch(words);
});

it("A blank result file is no fault", async () => {
  expect(await read(" \n")).toEqual({ result: {} });
});

/** Writes a file that is no JSON the first time, and what it is given the second time. */
const slipsFirst = (work: string, then: string) =>
  `if [ -e "../$BACKLOOM_JOB_ID" ]; then cp "$BACKLOOM_PROMPT_FILE" ${home}/prompt; printf '%s' '${then}' > "$BACKLOOM_RESULT_FILE"; else ${work}; touch "../$BACKLOOM_JOB_ID"; printf '{ "summary": \\n}' > "$BACKLOOM_RESULT_FILE"; fi`;

it("An agent whose result file is no JSON gets one more turn, which names the line, and its work counts", async () => {
  const run = await startRun(t, ada, { code: "MENDED" });
  const said = await serveOnce("MENDED", ["--exec", slipsFirst("echo a > a", '{"summary":"Good"}')]);
  expect((await run.read()).jobs, said).toMatchObject([{ status: "done", summary: "Good" }]);
  expect(readFileSync(join(home, "prompt"), "utf8")).toContain(
    "The result file is not JSON at line 2: Unexpected token '}'. Your work is as you left it. Write $BACKLOOM_RESULT_FILE again",
  );
});

it("Work whose result file is no JSON twice fails with the line in the reason, and is kept", {
  tags: "thorough",
}, async () => {
  const run = await startRun(t, ada, { code: "TWICE" });
  await serveOnce("TWICE", ["--exec", slipsFirst("echo a > a", "{ oh")]);
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({ status: "failed", failure_class: "agent_error" });
  expect(job?.failure_reason).toContain("The result file is not JSON at line 1: Expected");
  expect(git("ls-tree", "--name-only", `backloom/kept/${job?.id}-1`)).toBe("a");
});

it("A plan is not lost when its result file is no JSON the first time", async () => {
  const { run } = await startUnplanned(t, ada, "PLANNED", { plan_first: true, strategy: "STORY" }, 1);
  const work = `if [ -n "$BACKLOOM_PLAN_FIRST" ]; then ${slipsFirst("true", '{"implementation_plan":"1. Write"}')}; else echo a > a; fi`;
  const said = await serveOnce("PLANNED", ["--exec", work]);
  expect(await run(), said).toMatchObject({ status: "done", jobs: [{ plan_snapshot: "1. Write" }] });
});

it("A job's output shows what of its result file was left out", async () => {
  const run = await startRun(t, ada, { code: "NAMED" });
  await serveOnce("NAMED", ["--exec", `echo a > a; echo '{"guide":[{"why":1}]}' > "$BACKLOOM_RESULT_FILE"`]);
  const job = at((await run.read()).jobs, 0);
  expect(job).toMatchObject({ status: "done" });
  const { entries } = await getJobOutput(t.actorOf(ada), { job_id: job.id });
  expect(entries.map(({ text }) => text).join("")).toContain("guide[0].title is required");
});
