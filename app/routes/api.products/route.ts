import { listProductsJson } from "~/domain/products/list-products.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Products of the caller (specification: GET /api/products). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    handle: async ({ actor }) => jsonText(await listProductsJson(actor)),
  }),
});

export const loader = route.loader;
export const action = route.action;
