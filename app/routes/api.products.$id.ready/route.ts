import { readyQuery } from "~/contract/dependency";
import { listReady } from "~/domain/dependencies/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** `GET /api/products/:id/ready`: tasks that wait for nothing. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "product",
    query: readyQuery,
    handle: async ({ actor, id, query }) =>
      jsonText(await listReady.json(actor, { product_id: id, ...query })),
  }),
});

export const loader = route.loader;
export const action = route.action;
