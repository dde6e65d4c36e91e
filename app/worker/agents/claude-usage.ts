import type { Counts, Line } from "./claude-lines";
import type { TurnOutput, Usage } from "./driver";
import { sumByModel } from "./usage";

/** What the answers of the model took, and what the tool says of all of them at the end. */
export function countAnswers(output: TurnOutput) {
  /** By the answer's name: later news of it replace earlier ones. */
  const answers = new Map<string, Usage>();
  return {
    count(id: string, model: string | undefined, counts: Counts): void {
      const known = answers.get(id);
      answers.set(id, {
        model: known?.model ?? modelName(model),
        freshInput: counts.input_tokens ?? known?.freshInput ?? null,
        output: counts.output_tokens ?? known?.output ?? null,
        cacheRead: counts.cache_read_input_tokens ?? known?.cacheRead ?? null,
        cacheWrite: counts.cache_creation_input_tokens ?? known?.cacheWrite ?? null,
        cost: null,
        currency: null,
      });
      output.usageSoFar(sumByModel(answers.values()));
    },
    /** What the tool itself says goes before what was counted. */
    tell(byModel: Line["modelUsage"]): void {
      const told = Object.entries(byModel ?? {}).map(usageOf);
      const used = told.length > 0 ? told : answers.values();
      for (const usage of sumByModel(used)) output.usage(usage);
    },
  };
}

type ModelCounts = NonNullable<Line["modelUsage"]>[string];

function usageOf([model, counts]: [string, ModelCounts]): Usage {
  const cost = counts.costUSD ?? null;
  return {
    model: modelName(model),
    freshInput: counts.inputTokens ?? null,
    output: counts.outputTokens ?? null,
    cacheRead: counts.cacheReadInputTokens ?? null,
    cacheWrite: counts.cacheCreationInputTokens ?? null,
    cost,
    currency: cost === null ? null : "USD",
  };
}

/** `claude-opus-4-8[1m]` is the model with a longer window: one price list, one name. */
function modelName(model: string | undefined): string | null {
  return model?.replace(/\[[^\]]*\]$/, "") ?? null;
}
