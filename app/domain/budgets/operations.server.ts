import { z } from "zod";
import {
  budgetListSchema,
  budgetSchema,
  budgetSettingsSchema,
  deleteBudgetInput,
  getBudgetsInput,
  setBudgetInput,
  setBudgetSettingsInput,
} from "~/contract/budget";
import { forecastSchema, getForecastInput } from "~/contract/forecast";
import { gatheringOperation, operation } from "../operation.server";

/** Takes a budget away, and lets what it held go on; one that is gone already is fine. */
export const deleteBudget = operation(
  "delete_budget",
  deleteBudgetInput,
  z.object({ removed: z.boolean() }),
);

/** The budgets of a product, sprint, run or task, with what is spent, reserved and left. */
export const getBudgets = operation("get_budgets", getBudgetsInput, budgetListSchema);

/** What open tasks will take, from finished ones, and estimates beside what came out. */
export const getForecast = operation("get_forecast", getForecastInput, forecastSchema);

/** Time zone, agents that report nothing, expectations; the owner of the product, in a session. */
export const setBudgetSettings = gatheringOperation(
  "set_budget_settings",
  setBudgetSettingsInput,
  { own: ["product_id"], rest: "changes" },
  budgetSettingsSchema,
);

/** Makes or changes the budget of a scope, period and unit; the owner of the product, in a session. */
export const setBudget = operation("set_budget", setBudgetInput, budgetSchema);
