import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { readPlain } from "../base/read-plain";
import { beginAnew } from "./begin-anew";
import type { AgentTurn, TurnOutput, Usage } from "./driver";
import { jsonOf } from "./line-turn";
import { disjoint, sumByModel } from "./usage";

/**
 * Tools record each model answer with its counts. Unlike their output, the record always has cached tokens and the
 * model, however a turn ended.
 */

const codexCounts = z.looseObject({
  input_tokens: z.number(),
  cached_input_tokens: z.number().nullish(),
  cache_write_input_tokens: z.number().nullish(),
  output_tokens: z.number(),
});
const codexLine = z.looseObject({
  timestamp: z.string(),
  type: z.string(),
  payload: z.looseObject({
    type: z.string().optional(),
    model: z.string().optional(),
    info: z.looseObject({ total_token_usage: codexCounts }).nullish(),
    usage: codexCounts.nullish(),
  }),
});

/**
 * Codex records the counts of each complete answer before it makes the answer's calls. Older versions record only
 * session totals, after the calls: the turn's usage is then the difference.
 */
export async function readCodexRecord(
  home: string,
  sessionId: string,
  since: Date,
): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "sessions"), sessionId);
  if (lines === null) return null;
  let model: string | null = null;
  let before = nothingCounted;
  let after = before;
  const answers: CodexCounts[] = [];
  for (const line of lines) {
    const entry = codexLine.safeParse(line).data;
    if (entry === undefined) continue;
    const isOfTurn = new Date(entry.timestamp) >= since;
    const { usage, info } = entry.payload;
    if (entry.type === "turn_context") model = entry.payload.model ?? model;
    if (entry.type === "token_usage_record" && usage && isOfTurn) answers.push(countsOf(usage));
    if (!info) continue;
    after = countsOf(info.total_token_usage);
    if (!isOfTurn) before = after;
  }
  const sums =
    answers.length > 0 ? answers.reduce((sum, one) => added(sum, one)) : added(after, before, -1);
  return [disjoint(model, sums)];
}

type CodexCounts = ReturnType<typeof countsOf>;
const nothingCounted: CodexCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function countsOf(counts: z.output<typeof codexCounts>) {
  return {
    input: counts.input_tokens,
    output: counts.output_tokens,
    cacheRead: counts.cached_input_tokens ?? 0,
    cacheWrite: counts.cache_write_input_tokens ?? 0,
  };
}

function added(one: CodexCounts, other: CodexCounts, sign: 1 | -1 = 1): CodexCounts {
  return {
    input: one.input + sign * other.input,
    output: one.output + sign * other.output,
    cacheRead: one.cacheRead + sign * other.cacheRead,
    cacheWrite: one.cacheWrite + sign * other.cacheWrite,
  };
}

const geminiLine = z.looseObject({
  id: z.string(),
  timestamp: z.string(),
  model: z.string().optional(),
  tokens: z.looseObject({
    input: z.number(),
    output: z.number(),
    cached: z.number().nullish(),
    thoughts: z.number().nullish(),
  }),
});

/** Gemini CLI may write an answer several times, each more complete; the last one counts. */
export async function readGeminiRecord(
  home: string,
  sessionId: string,
  since: Date,
): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "tmp"), sessionId.slice(0, 8));
  if (lines === null) return null;
  const answers = new Map<string, Usage>();
  for (const line of lines) {
    const answer = geminiLine.safeParse(line).data;
    if (answer === undefined || new Date(answer.timestamp) < since) continue;
    const { input, output, cached, thoughts } = answer.tokens;
    const counts = {
      input,
      output: output + (thoughts ?? 0),
      cacheRead: cached ?? null,
      cacheWrite: null,
    };
    answers.set(answer.id, disjoint(answer.model ?? null, counts));
  }
  return sumByModel(answers.values());
}

const claudeLine = z.looseObject({
  timestamp: z.string(),
  message: z.looseObject({
    id: z.string(),
    model: z.string(),
    usage: z.looseObject({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_read_input_tokens: z.number().nullish(),
      cache_creation_input_tokens: z.number().nullish(),
    }),
  }),
});

/** Claude Code writes one line per part of an answer, each with the counts of the whole answer. */
export async function readClaudeRecord(
  home: string,
  sessionId: string,
  since: Date,
): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "projects"), sessionId);
  if (lines === null) return null;
  const answers = new Map<string, Usage>();
  for (const line of lines) {
    const entry = claudeLine.safeParse(line).data;
    if (entry === undefined || new Date(entry.timestamp) < since) continue;
    const { id, model, usage } = entry.message;
    // Messages of Claude Code itself, not the model.
    if (model === "<synthetic>") continue;
    answers.set(id, {
      model,
      freshInput: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens ?? null,
      cacheWrite: usage.cache_creation_input_tokens ?? null,
      cost: null,
      currency: null,
    });
  }
  return sumByModel(answers.values());
}

/** Drops a conversation without a record from the turn, because the tool would fail to resume it. */
export async function resumable(
  title: string,
  turn: AgentTurn,
  output: TurnOutput,
  folder: string,
): Promise<AgentTurn> {
  if (turn.resume === undefined) return turn;
  const lines = await linesOfSession(folder, turn.resume.sessionId);
  if (lines !== null) return turn;
  await beginAnew(title, turn, output, "it has no record of it");
  return { ...turn, resume: undefined };
}

/**
 * Gemini CLI 0.61 names a session's record by its minute and overwrites it if the session is loaded within that minute.
 * Waits until it has passed, so that nothing is lost.
 */
export async function passFirstMinute(turn: AgentTurn, output: TurnOutput, home: string) {
  if (turn.resume === undefined) return;
  const short = turn.resume.sessionId.slice(0, 8);
  const isNew = async (): Promise<boolean> => {
    const minute = new Date().toISOString().slice(0, 16).replace(":", "-");
    const files = await readdir(join(home, "tmp"), { recursive: true }).catch(() => []);
    return files.some((file) => file.includes(`session-${minute}-${short}`));
  };
  while (await isNew()) {
    await wait(1_000, undefined, { signal: turn.signal });
    output.heard();
  }
}

/** Parsed lines of the files whose name ends with the session's; null if there are none. */
async function linesOfSession(folder: string, name: string): Promise<unknown[] | null> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.endsWith(`${name}.jsonl`));
  const read = await Promise.all(files.map((file) => readPlain(join(folder, file), mostBytes)));
  const texts = read.filter((text) => text !== null);
  return texts.length === 0 ? null : texts.flatMap((text) => text.split("\n")).map(jsonOf);
}

/** Far more than a long conversation, less than the longest string. */
const mostBytes = 256 * 1024 ** 2;
