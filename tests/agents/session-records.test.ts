import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readCodexRecord } from "~/worker/agents/codex/codex";

const home = mkdtempSync(join(tmpdir(), "backloom-records-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const since = new Date("2026-11-22T10:00:00Z");
const before = "2026-11-22T09:59:59Z";
const after = "2026-11-22T10:00:01Z";
const counts = (input: number) => ({
  input_tokens: input,
  cached_input_tokens: 40,
  output_tokens: 10,
});
const context = { timestamp: before, type: "turn_context", payload: { model: "gpt-1" } };
const sum = (timestamp: string, input: number) => ({
  ...{ timestamp, type: "event_msg" },
  payload: { type: "token_count", info: { total_token_usage: counts(input) } },
});
const answer = (timestamp: string, input: number) => ({
  ...{ timestamp, type: "token_usage_record" },
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
])("takes of the record of Codex %s", async (what, lines, fresh) => {
  const folder = join(home, what, "sessions", "2026", "11", "22");
  mkdirSync(folder, { recursive: true });
  const text = [context, ...lines].map((line) => JSON.stringify(line)).join("\n");
  // The last line of a tool that was killed may be half a line.
  writeFileSync(join(folder, "rollout-1-abc.jsonl"), `${text}\n{"timest`);
  expect(await readCodexRecord(join(home, what), "abc", since)).toMatchObject([
    { model: "gpt-1", freshInput: fresh },
  ]);
});

it.each([
  ["a pipe", (file: string) => execFileSync("sh", ["-c", 'mkfifo "$0"', file])],
  ["a link to what never ends", (file: string) => symlinkSync("/dev/zero", file)],
  ["a folder", (file: string) => mkdirSync(file)],
])("is not held up by %s in the place of a record", async (what, put) => {
  const folder = join(home, what, "sessions", "2026");
  mkdirSync(folder, { recursive: true });
  put(join(folder, "rollout-1-abc.jsonl"));
  expect(await readCodexRecord(join(home, what), "abc", since)).toBeNull();
});
