import { join } from "node:path";
import { z } from "zod";
import type { Usage } from "../driver";
import { linesOfSession } from "../session-records";
import { disjoint } from "../usage";

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
