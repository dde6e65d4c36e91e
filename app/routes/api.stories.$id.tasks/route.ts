import { listStoryTasks } from "~/domain/stories/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Tasks of a story (specification: GET /api/stories/:id/tasks). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "story",
    handle: async ({ actor, id }) => jsonText(await listStoryTasks.json(actor, { story_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
