import type { Usage } from "../driver";
import { disjoint } from "../usage";
import type { Answer } from "./messages";

/** Token counts of an answer, which ACP defines as disjoint. */
export function usageOfAnswer({ usage, _meta }: Answer, model: string | null): Usage[] {
  if (!usage) return [];
  const named = _meta?.quota?.model_usage?.[0]?.model;
  return [
    {
      model: named?.replace(/\[[^\]]*\]$/, "") ?? model,
      freshInput: usage.inputTokens ?? null,
      output: usage.outputTokens ?? null,
      cacheRead: usage.cachedReadTokens ?? null,
      cacheWrite: usage.cachedWriteTokens ?? null,
      cost: null,
      currency: null,
    },
  ];
}

/** Gemini's counts, sent in `_meta`: input includes cached tokens, whose number is not reported. */
export function quotaOfAnswer({ _meta }: Answer, model: string | null): Usage[] {
  const quota = _meta?.quota;
  const models = quota?.model_usage ?? [];
  const counted = models.length > 0 ? models : [{ model, token_count: quota?.token_count }];
  return counted.flatMap(({ model: name, token_count }) => {
    if (!token_count) return [];
    const { input_tokens, output_tokens } = token_count;
    const counts = { input: input_tokens ?? null, output: output_tokens ?? null };
    return disjoint(name, { ...counts, cacheRead: null, cacheWrite: null });
  });
}
