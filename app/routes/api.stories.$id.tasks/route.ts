import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { passThrough } from "~/http/pass-through.server";

/** Tasks of a story (specification: GET /api/stories/:id/tasks). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "story",
    handle: ({ actor, id }) => passThrough(actor, "list_story_tasks", { p_story_id: id }),
  }),
});

export const loader = route.loader;
export const action = route.action;
