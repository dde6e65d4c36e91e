import { budgetSettingsBody } from "~/contract/budget";
import { setBudgetSettings } from "~/domain/budgets/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `PATCH /api/products/:id/budget-settings`: what holds for all budgets of a product; what is not named stays. */
const route = apiRoute({
  PATCH: endpoint({
    auth: "either",
    write: true,
    id: "product",
    body: budgetSettingsBody,
    handle: async ({ actor, id, body }) =>
      json(await setBudgetSettings(actor, { ...body, product_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
