import { forecastQuery } from "~/contract/forecast";
import { getForecast } from "~/domain/budgets/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `GET /api/products/:id/forecast[?sprint_id=]`: what the open tasks will take, from finished ones. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "product",
    query: forecastQuery,
    handle: async ({ actor, id, query }) =>
      json(await getForecast(actor, { ...query, product_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
