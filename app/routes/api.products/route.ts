import { listProducts } from "~/domain/products/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Products of the caller (specification: GET /api/products). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    handle: async ({ actor }) => jsonText(await listProducts.json(actor)),
  }),
});

export const loader = route.loader;
export const action = route.action;
