import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getBudgets, setBudget } from "~/nouns/budgets/operations.server";
import { budgetBody, budgetsQuery } from "~/wire/budgets/contract";

/** `/api/products/:id/budgets`: agents may read budgets; only the owner may set them, in a session. */
export const loader = apiRoute({
  GET: operationEndpoint(getBudgets, {
    summary: "List budgets with what is spent, reserved and left",
    query: budgetsQuery,
    input: ({ id, query }) => ({ ...query, product_id: id }),
  }),
  PUT: operationEndpoint(setBudget, {
    summary: "Create or change the budget of a scope, period and unit. Owner's session only",
    caller: "person",
    body: budgetBody,
    input: ({ id, body }) => ({ ...body, product_id: id }),
  }),
});

export const action = loader;
