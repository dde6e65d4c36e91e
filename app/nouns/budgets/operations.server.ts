import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import * as wire from "~/wire/budgets/contract";

/** Deletes a budget and releases what it held. Deleting twice is fine. */
export const deleteBudget = operation("delete_budget", wire.deleteBudgetInput, z.object({ removed: z.boolean() }));

/** The budgets of a product, sprint, run or task, with what is spent, reserved and left. */
export const getBudgets = operation("get_budgets", wire.getBudgetsInput, wire.budgetListSchema);

/** Forecast of open tasks from finished ones, and past estimates next to actual values. */
export const getForecast = operation("get_forecast", wire.getForecastInput, wire.forecastSchema);

/** Sets time zone, agents that report nothing, and expectations; product owner only, with a session. */
export const setBudgetSettings = patchOperation(
  "set_budget_settings",
  wire.setBudgetSettingsInput,
  { own: ["product_id"], rest: "changes" },
  wire.budgetSettingsSchema,
);

/** Creates or changes the budget of a scope, period and unit; product owner only, with a session. */
export const setBudget = operation("set_budget", wire.setBudgetInput, wire.budgetSchema);
