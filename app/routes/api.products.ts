import { listProducts } from "~/domain/products/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";

/** Products of the caller (specification: GET /api/products). */
export const loader = apiRoute({
  GET: operationEndpoint(listProducts, {
    name: "listProducts",
    summary: "Products of the caller",
    auth: "bearer",
    input: () => ({}),
  }),
});
export const action = loader;
