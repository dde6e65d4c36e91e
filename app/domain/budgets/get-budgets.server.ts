import { type BudgetList, budgetListSchema, type GetBudgetsInput } from "~/contract/budget";
import { type Actor, callAs } from "~/db/rpc.server";

/** The budgets of a product, sprint, run or task, with what is spent, reserved and left. */
export function getBudgets(actor: Actor, input: GetBudgetsInput): Promise<BudgetList> {
  return callAs(
    actor,
    "get_budgets",
    {
      p_product_id: input.product_id,
      p_sprint_run_id: input.sprint_run_id,
      p_sprint_id: input.sprint_id,
      p_task_id: input.task_id,
    },
    budgetListSchema,
  );
}
