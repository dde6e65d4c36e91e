import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { canonicalId } from "~/http/uuid";
import { deleteBudget } from "~/nouns/budgets/operations.server";

/** `DELETE /api/products/:id/budgets/:budgetId`: for the owner, in a session. */
export const loader = apiRoute({
  DELETE: operationEndpoint(deleteBudget, {
    name: "deleteBudget",
    summary: "Delete a budget. Owner's session only",
    auth: "either",
    caller: "person",
    status: 204,
    input: ({ id, params }) => ({
      product_id: id,
      budget_id: canonicalId(params.budgetId),
    }),
  }),
});
export const action = loader;
