import type { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { noInput, operation } from "~/nouns/operation.server";
import * as wire from "~/wire/insights/contract";
import { productIdInput } from "~/wire/products/contract";
import { countedRowsSchema, type scoreboardSchema, toRow } from "./scoreboard";

/** Burn-down, tokens and cost (specification: Sprint; Agent job; Model price). */
export const getInsights = operation("get_insights", wire.getInsightsInput, wire.insightsSchema);

/** What accepted changes cost, with all that was tried for them. */
export const getCosts = operation("get_costs", wire.getCostsInput, wire.costsAnswerSchema);

/** Prices of all models (specification: Model price). */
export const listModelPrices = operation("list_model_prices", noInput, wire.modelPriceListSchema);

/** Sets the price of a model, or removes it; administrators only (specification: Model price). */
export const setModelPrice = operation("set_model_price", wire.setModelPriceInput, wire.setModelPriceAnswerSchema);

const countFinished = operation("get_scoreboard", productIdInput, countedRowsSchema);

/** Who is good at what in a product: finished tasks by agent and model, over all and by label. */
export async function getScoreboard(
  actor: Actor,
  input: z.input<typeof productIdInput>,
): Promise<z.infer<typeof scoreboardSchema>> {
  const { rows } = await countFinished(actor, input);
  return { rows: rows.map(toRow) };
}
