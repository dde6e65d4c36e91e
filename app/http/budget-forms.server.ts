import type { Actor } from "~/db/rpc.server";
import { deleteBudgetInput, setBudgetInput } from "~/nouns/budgets/contract";
import { deleteBudget, setBudget } from "~/nouns/budgets/operations.server";
import { done, readForm } from "./form-action.server";

/** Intents for budget forms, shared by every page that shows budgets. */
export function budgetIntents(actor: Actor, form: FormData, productId: string, back: string) {
  form.set("product_id", productId);
  return {
    "set-budget": async () => {
      await setBudget(actor, readForm(form, setBudgetInput));
      return done(form, back, "The budget is set");
    },
    "delete-budget": async () => {
      await deleteBudget(actor, readForm(form, deleteBudgetInput));
      return done(form, back, "The budget is removed");
    },
  };
}
