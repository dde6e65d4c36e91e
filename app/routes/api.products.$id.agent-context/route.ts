import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { passThrough } from "~/http/pass-through.server";

/** The bundle with which an agent begins (specification: GET /api/products/:id/agent-context). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    id: "product",
    handle: ({ actor, id }) => passThrough(actor, "get_agent_context", { p_product_id: id }),
  }),
});

export const loader = route.loader;
export const action = route.action;
