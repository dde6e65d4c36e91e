import type { ZodOpenApiPathsObject } from "zod-openapi";
import {
  budgetBody,
  budgetListSchema,
  budgetSchema,
  budgetSettingsBody,
  budgetSettingsSchema,
  budgetsQuery,
} from "~/contract/budget";
import { forecastQuery, forecastSchema } from "~/contract/forecast";
import { operation } from "./operation.server";

const writes = [400, 401, 403, 404, 405, 413, 422, 500] as const;

/** What work may cost. */
export const budgetPaths: ZodOpenApiPathsObject = {
  "/api/products/{id}/budgets": {
    get: operation({
      id: "getBudgets",
      summary: "Budgets with what is spent, reserved and left; with a run or sprint those above it",
      security: "token or session",
      idParam: "id",
      query: budgetsQuery,
      answer: budgetListSchema,
      errors: [401, 403, 404, 405, 422, 500],
    }),
    put: operation({
      id: "setBudget",
      summary: "Makes or changes the budget of a scope, period and unit; the owner, never a token",
      security: "session",
      idParam: "id",
      body: budgetBody,
      answer: budgetSchema,
      errors: writes,
    }),
  },
  "/api/products/{id}/budgets/{budgetId}": {
    delete: operation({
      id: "deleteBudget",
      summary: "Takes a budget away, also one that is gone; the owner, never a token",
      security: "session",
      idParam: "id",
      referenceParam: "budgetId",
      status: 204,
      answer: "nothing",
      errors: [401, 403, 404, 405, 500],
    }),
  },
  "/api/products/{id}/forecast": {
    get: operation({
      id: "getForecast",
      summary:
        "Time, tokens and money of a sprint's open tasks at 20 and 80 %; estimates and actuals",
      security: "token or session",
      idParam: "id",
      query: forecastQuery,
      answer: forecastSchema,
      errors: [401, 403, 404, 405, 422, 500],
    }),
  },
  "/api/products/{id}/budget-settings": {
    patch: operation({
      id: "setBudgetSettings",
      summary: "Time zone, agents that report nothing, expectations; the owner, never a token",
      security: "session",
      idParam: "id",
      body: budgetSettingsBody,
      answer: budgetSettingsSchema,
      errors: writes,
    }),
  },
};
