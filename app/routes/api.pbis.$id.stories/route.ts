import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { passThrough } from "~/http/pass-through.server";

/** Stories of a PBI (specification: GET /api/pbis/:id/stories). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "PBI",
    handle: ({ actor, id }) => passThrough(actor, "list_pbi_stories", { p_pbi_id: id }),
  }),
});

export const loader = route.loader;
export const action = route.action;
