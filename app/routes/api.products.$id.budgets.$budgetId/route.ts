import { deleteBudget } from "~/domain/budgets/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { requireId } from "~/http/require-id.server";
import { noContent } from "~/http/responses.server";

/** `DELETE /api/products/:id/budgets/:budgetId`: the owner, in a session. */
const route = apiRoute({
  DELETE: endpoint({
    auth: "either",
    write: true,
    id: "product",
    handle: async ({ actor, id, params }) => {
      const budget_id = requireId(params.budgetId, "budget");
      await deleteBudget(actor, { product_id: id, budget_id });
      return noContent({});
    },
  }),
});

export const loader = route.loader;
export const action = route.action;
