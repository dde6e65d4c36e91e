import { type GetInsightsInput, type Insights, insightsSchema } from "~/contract/insight";
import { type Actor, callAs } from "~/db/rpc.server";

/** Burn-down, tokens and cost (specification: Sprint; Agent job; Model price). */
export function getInsights(actor: Actor, input: GetInsightsInput): Promise<Insights> {
  return callAs(
    actor,
    "get_insights",
    { p_product_id: input.product_id, p_sprint_id: input.sprint_id },
    insightsSchema,
  );
}
