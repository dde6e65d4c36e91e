import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { passThrough } from "~/http/pass-through.server";

/** Products of the caller (specification: GET /api/products). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    handle: ({ actor }) => passThrough(actor, "list_products", {}),
  }),
});

export const loader = route.loader;
export const action = route.action;
