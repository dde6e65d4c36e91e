import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { passThrough } from "~/http/pass-through.server";

/** The next story of the active sprint (specification: GET /api/products/:id/next-story). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    id: "product",
    handle: ({ actor, id }) => passThrough(actor, "get_next_story", { p_product_id: id }),
  }),
});

export const loader = route.loader;
export const action = route.action;
