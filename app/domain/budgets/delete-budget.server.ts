import { z } from "zod";
import type { DeleteBudgetInput } from "~/contract/budget";
import { type Actor, callAs } from "~/db/rpc.server";

/** Takes a budget away, and lets what it held go on; one that is gone already is fine. */
export async function deleteBudget(actor: Actor, input: DeleteBudgetInput): Promise<void> {
  const given = { p_product_id: input.product_id, p_budget_id: input.budget_id };
  await callAs(actor, "delete_budget", given, z.object({ removed: z.boolean() }));
}
