import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getForecast } from "~/nouns/budgets/operations.server";
import { forecastQuery } from "~/wire/budgets/contract";

/** `GET /api/products/:id/forecast[?sprint_id=]`: expected time and cost of open tasks, from finished ones. */
export const loader = apiRoute({
  GET: operationEndpoint(getForecast, {
    summary: "Forecast time, tokens and cost of a sprint's open tasks",
    query: forecastQuery,
    input: ({ id, query }) => ({ ...query, product_id: id }),
  }),
});
