import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readClaudeStream } from "../../worker/agents/claude/stream";
import { readCodexRecord } from "../../worker/agents/codex/codex";
import type { TurnOutput, Usage } from "../../worker/agents/driver";
import { nothingKnown } from "../../worker/agents/usage";
import { createRedactor } from "../../worker/base/redact";
import { openTranscript } from "../../worker/base/transcript";

const home = mkdtempSync(join(tmpdir(), "backloom-records-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const since = new Date("2026-11-22T10:00:00Z");
const before = "2026-11-22T09:59:59Z";
const after = "2026-11-22T10:00:01Z";
const counts = (input: number) => ({ input_tokens: input, cached_input_tokens: 40, output_tokens: 10 });
const context = { timestamp: before, type: "turn_context", payload: { model: "gpt-1" } };
const sum = (timestamp: string, input: number) => ({
  timestamp,
  type: "event_msg",
  payload: { type: "token_count", info: { total_token_usage: counts(input) } },
});
const answer = (timestamp: string, input: number) => ({
  timestamp,
  type: "token_usage_record",
  payload: { usage: counts(input), thread_token_usage: counts(9_999) },
});

it.each([
  // A turn that was killed is in no sum of the next one.
  ["each answer of the turn", [answer(before, 7), sum(before, 7), answer(after, 140)], 100],
  [
    "the answers where there are sums too",
    [sum(before, 7), answer(after, 140), answer(after, 240), sum(after, 999)],
    300,
  ],
  ["what was added to the sums of an older Codex", [sum(before, 100), sum(after, 240)], 140],
])("The tokens of a Codex turn are read from its record: %s", async (what, lines, fresh) => {
  const folder = join(home, what, "sessions", "2026", "11", "22");
  mkdirSync(folder, { recursive: true });
  const text = [context, ...lines].map((line) => JSON.stringify(line)).join("\n");
  // The last line of a tool that was killed may be half a line.
  writeFileSync(join(folder, "rollout-1-abc.jsonl"), `${text}\n{"timest`);
  expect(await readCodexRecord(join(home, what), "abc", since)).toMatchObject([{ model: "gpt-1", freshInput: fresh }]);
});

it.each([
  ["a pipe", (file: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', file])],
  ["a link to what never ends", (file: string) => symlinkSync("/dev/zero", file)],
  ["a folder", (file: string) => mkdirSync(file)],
])("Reading a record of Codex is not held up by %s in its place", async (what, put) => {
  const folder = join(home, what, "sessions", "2026");
  mkdirSync(folder, { recursive: true });
  put(join(folder, "rollout-1-abc.jsonl"));
  expect(await readCodexRecord(join(home, what), "abc", since)).toBeNull();
});

const unheard: TurnOutput = {
  transcript: openTranscript(createRedactor([]), () => undefined),
  usage: () => undefined,
  usageSoFar: () => undefined,
  session: () => undefined,
  sessionCost: () => undefined,
  denied: () => undefined,
  alive: () => undefined,
};
const used = (input: number, output: number, costUSD: number) => ({
  "claude-x[1m]": { inputTokens: input, outputTokens: output, costUSD },
});
const result = (whole: object, since?: object) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "Well.",
  modelUsage: whole,
  model_usage_since_last_result: since,
});
const spoken = {
  type: "assistant",
  message: { id: "m", model: "claude-x", usage: { input_tokens: 16, output_tokens: 4 } },
};
const before100 = { ...nothingKnown, model: "claude-x", freshInput: 100, output: 10 };

it.each([
  ["tells the turn beside the total", [result(used(116, 14, 0.5), used(16, 4, 0.1))], 16, 0.1],
  [
    "has a result for each message",
    [result(used(110, 12, 0.4), used(10, 2, 0.1)), result(used(116, 14, 0.5), used(6, 2, 0.2))],
    16,
    0.3,
  ],
  ["tells the total alone", [spoken, result(used(116, 14, 0.5))], 16, null],
  ["tells its process alone", [spoken, result(used(20, 4, 0.2))], 20, 0.2],
  ["was refused before it took any", [result(used(100, 10, 0.4), {})], undefined, undefined],
])("A turn of a resumed Claude Code counts once where it %s", (_what, lines, fresh, cost) => {
  const usages: Usage[] = [];
  const reader = readClaudeStream("/", { ...unheard, usage: (one) => usages.push(one) }, [before100]);
  for (const line of lines) reader.take(JSON.stringify(line));
  reader.end({ code: 0, signal: null, complaints: "" });
  expect(usages.map(({ freshInput }) => freshInput)).toEqual(fresh === undefined ? [] : [fresh]);
  if (typeof cost === "number") expect(usages[0]?.cost).toBeCloseTo(cost);
  else expect(usages[0]?.cost).toBe(cost);
});
