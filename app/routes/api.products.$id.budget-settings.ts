import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { setBudgetSettings } from "~/nouns/budgets/operations.server";
import { budgetSettingsBody } from "~/wire/budgets/contract";

/** `PATCH /api/products/:id/budget-settings`: settings of all budgets of a product; omitted fields stay. */
export const loader = apiRoute({
  PATCH: operationEndpoint(setBudgetSettings, {
    summary: "Set a product's budget settings. Owner's session only",
    caller: "person",
    body: budgetSettingsBody,
    input: ({ id, body }) => ({ ...body, product_id: id }),
  }),
});

export const action = loader;
