import { getBacklog } from "~/domain/products/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Snapshot of a backlog (specification: GET /api/products/:id/backlog). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "product",
    handle: async ({ actor, id }) => jsonText(await getBacklog.json(actor, { product_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
