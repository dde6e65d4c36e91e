import { ContractError } from "~/contract/errors";
import { deleteBudget } from "~/domain/budgets/delete-budget.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { noContent } from "~/http/responses.server";
import { isCanonicalUuid } from "~/http/uuid";

/** `DELETE /api/products/:id/budgets/:budgetId`: the owner, in a session. */
const { loader, action } = apiRoute({
  DELETE: (args) =>
    endpoint({
      auth: "either",
      write: true,
      id: "product",
      handle: async ({ actor, id }) => {
        const budget_id = args.params.budgetId ?? "";
        if (!isCanonicalUuid(budget_id)) throw new ContractError(404, "No such budget.");
        await deleteBudget(actor, { product_id: id, budget_id });
        return noContent({});
      },
    })(args),
});

export { action, loader };
