import { budgetBody, budgetsQuery } from "~/contract/budget";
import { getBudgets, setBudget } from "~/domain/budgets/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `/api/products/:id/budgets`: agents may read them, only the owner in a session sets one. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "product",
    query: budgetsQuery,
    handle: async ({ actor, id, query }) =>
      json(await getBudgets(actor, { ...query, product_id: id })),
  }),
  PUT: endpoint({
    auth: "either",
    write: true,
    id: "product",
    body: budgetBody,
    handle: async ({ actor, id, body }) =>
      json(await setBudget(actor, { ...body, product_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
