import { join } from "node:path";
import { z } from "zod";
import type { Usage } from "../driver";
import { linesOfSession } from "../session-records";
import { sumByModel } from "../usage";

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
