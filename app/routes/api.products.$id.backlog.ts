import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { getBacklog } from "~/nouns/products/operations.server";

/** Snapshot of a backlog (specification: GET /api/products/:id/backlog). */
export const loader = apiRoute({
  GET: operationEndpoint(getBacklog, {
    summary: "Get a product's backlog",
    input: ({ id }) => ({ product_id: id }),
  }),
});
