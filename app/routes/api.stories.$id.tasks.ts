import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listStoryTasks } from "~/nouns/stories/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(listStoryTasks, { summary: "List a story's tasks", input: ({ id }) => ({ story_id: id }) }),
});
