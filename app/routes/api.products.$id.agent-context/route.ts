import { getAgentContext } from "~/domain/products/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** The bundle with which an agent begins (specification: GET /api/products/:id/agent-context). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    id: "product",
    handle: async ({ actor, id }) =>
      jsonText(await getAgentContext.json(actor, { product_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
