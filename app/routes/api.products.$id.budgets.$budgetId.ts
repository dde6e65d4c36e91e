import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { requireId } from "~/http/require-id.server";
import { deleteBudget } from "~/nouns/budgets/operations.server";

/** `DELETE /api/products/:id/budgets/:budgetId`: for the owner, in a session. */
export const loader = apiRoute({
  DELETE: operationEndpoint(deleteBudget, {
    name: "deleteBudget",
    summary: "Delete a budget. Owner's session only",
    auth: "either",
    id: "product",
    caller: "person",
    status: 204,
    input: ({ id, params }) => ({
      product_id: id,
      budget_id: requireId(params.budgetId, "budget"),
    }),
  }),
});
export const action = loader;
