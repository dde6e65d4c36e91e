import { apiRoute, endpoint } from "~/http/endpoint.server";
import { csv, json } from "~/http/responses.server";
import { getCosts } from "~/nouns/insights/operations.server";
import { costsAnswerSchema, costsQuery } from "~/wire/insights/contract";

/** `GET /api/products/:id/costs`: what accepted changes cost, as JSON, or as CSV with `Accept: text/csv`. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getCosts",
    summary: "Get what accepted changes cost, as JSON or with Accept: text/csv as CSV",
    query: costsQuery,
    answer: costsAnswerSchema,
    handle: async ({ actor, id, query, request }) => {
      const costs = await getCosts(actor, { ...query, product_id: id });
      if (!request.headers.get("accept")?.includes("text/csv")) return json(costs);
      const total = costs.total.map((sums) => ({ key: "total", model: null, ...sums }));
      return csv(`costs-${costs.from}-${costs.to}.csv`, [...costs.rows, ...total]);
    },
  }),
});
