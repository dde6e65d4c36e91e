import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listStoryTasks } from "~/nouns/stories/operations.server";

/** Tasks of a story (specification: GET /api/stories/:id/tasks). */
export const loader = apiRoute({
  GET: operationEndpoint(listStoryTasks, { summary: "List a story's tasks", input: ({ id }) => ({ story_id: id }) }),
});
