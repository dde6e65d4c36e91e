import { listPbiStories } from "~/domain/pbis/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Stories of a PBI (specification: GET /api/pbis/:id/stories). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "PBI",
    handle: async ({ actor, id }) => jsonText(await listPbiStories.json(actor, { pbi_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
