import { z } from "zod";
import type { Usage } from "../driver";
import { jsonOf } from "../line-turn";
import { sumByModel } from "../usage";

const opencodeExport = z.looseObject({
  messages: z.array(
    z.looseObject({
      info: z.looseObject({
        role: z.string(),
        modelID: z.string().optional(),
        providerID: z.string().optional(),
        cost: z.number().nullish(),
        time: z.looseObject({ created: z.number() }),
        tokens: z
          .looseObject({
            input: z.number(),
            output: z.number(),
            reasoning: z.number().nullish(),
            cache: z.looseObject({ read: z.number(), write: z.number() }),
          })
          .nullish(),
      }),
    }),
  ),
});

/**
 * Reads the output of `opencode export`. Its counts are already disjoint. A cost of zero means that the price is
 * unknown.
 */
export function readOpencodeExport(text: string, since: Date): Usage[] | null {
  const exported = opencodeExport.safeParse(jsonOf(text.slice(text.indexOf("{"))));
  if (!exported.success) return null;
  const answers = exported.data.messages
    .map(({ info }) => info)
    .filter(({ role, time }) => role === "assistant" && time.created >= since.getTime());
  return sumByModel(
    answers.flatMap(({ modelID, tokens, cost }) => {
      if (!tokens) return [];
      return {
        model: modelID ?? null,
        freshInput: tokens.input,
        output: tokens.output + (tokens.reasoning ?? 0),
        cacheRead: tokens.cache.read,
        cacheWrite: tokens.cache.write,
        cost: cost || null,
        currency: cost ? "USD" : null,
      };
    }),
  );
}
