import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getBacklog } from "~/nouns/products/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(getBacklog, { summary: "Get a product's backlog", input: ({ id }) => ({ product_id: id }) }),
});
