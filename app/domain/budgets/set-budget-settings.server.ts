import {
  type BudgetSettings,
  budgetSettingsSchema,
  type SetBudgetSettingsInput,
} from "~/contract/budget";
import { type Actor, callAs } from "~/db/rpc.server";

/** Time zone, agents that report nothing, expectations; the owner of the product, in a session. */
export function setBudgetSettings(
  actor: Actor,
  { product_id, ...changes }: SetBudgetSettingsInput,
): Promise<BudgetSettings> {
  const given = { p_product_id: product_id, p_changes: changes };
  return callAs(actor, "set_budget_settings", given, budgetSettingsSchema);
}
