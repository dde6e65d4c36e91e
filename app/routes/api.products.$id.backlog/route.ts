import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { passThrough } from "~/http/pass-through.server";

/** Snapshot of a backlog (specification: GET /api/products/:id/backlog). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "product",
    handle: ({ actor, id }) => passThrough(actor, "get_backlog", { p_product_id: id }),
  }),
});

export const loader = route.loader;
export const action = route.action;
