import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listProducts } from "~/nouns/products/operations.server";

/** Products of the caller (specification: GET /api/products). */
export const loader = apiRoute({
  GET: operationEndpoint(listProducts, { summary: "List your products", auth: "bearer", input: () => ({}) }),
});
