import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listProducts } from "~/nouns/products/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(listProducts, { summary: "List your products", auth: "bearer", input: () => ({}) }),
});
