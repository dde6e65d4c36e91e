import type { Actor } from "~/db/rpc.server";
import { runOperation } from "~/http/form-action.server";
import { deleteBudget, setBudget } from "~/nouns/budgets/operations.server";

/** Intents for budget forms, shared by every page that shows budgets. */
export function budgetIntents(actor: Actor, form: FormData, productId: string, back: string) {
  form.set("product_id", productId);
  return {
    "set-budget": () => runOperation(actor, form, setBudget, back, "The budget is set"),
    "delete-budget": () => runOperation(actor, form, deleteBudget, back, "The budget is removed"),
  };
}
