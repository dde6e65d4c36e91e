import { type Budget, budgetSchema, type SetBudgetInput } from "~/contract/budget";
import { type Actor, callAs } from "~/db/rpc.server";

/** Makes or changes the budget of a scope, period and unit; the owner of the product, in a session. */
export function setBudget(actor: Actor, input: SetBudgetInput): Promise<Budget> {
  return callAs(
    actor,
    "set_budget",
    {
      p_product_id: input.product_id,
      p_scope: input.scope,
      p_period: input.period,
      p_target_id: input.target_id,
      p_unit: input.unit,
      p_amount: input.amount,
    },
    budgetSchema,
  );
}
