import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listSprintTasks } from "~/nouns/sprints/operations.server";
import { sprintTasksQuery } from "~/wire/sprints/contract";

export const loader = apiRoute({
  GET: operationEndpoint(listSprintTasks, {
    summary: "List a sprint's tasks in order",
    auth: "bearer",
    query: sprintTasksQuery,
    input: ({ id, query }) => ({ sprint_id: id, ...query }),
  }),
});
