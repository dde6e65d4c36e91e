import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { deleteBudget } from "~/nouns/budgets/operations.server";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

export const loader = apiRoute({
  DELETE: operationEndpoint(deleteBudget, {
    summary: "Delete a budget. Owner's session only",
    caller: "person",
    status: 204,
    input: ({ id, params: { budgetId = "" } }) => {
      // One that is gone is deleted, but what was never an id is a mistake.
      if (!isCanonicalUuid(budgetId)) throw new ContractError(404, "No such budget. Check the ID.");
      return { product_id: id, budget_id: budgetId };
    },
  }),
});

export const action = loader;
