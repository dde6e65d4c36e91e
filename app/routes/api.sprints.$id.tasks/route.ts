import { sprintTasksQuery } from "~/contract/sprint";
import { listSprintTasks } from "~/domain/sprints/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Tasks of a sprint (specification: GET /api/sprints/:id/tasks). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    id: "sprint",
    query: sprintTasksQuery,
    handle: async ({ actor, id, query }) =>
      jsonText(await listSprintTasks.json(actor, { sprint_id: id, limit: query.limit })),
  }),
});

export const loader = route.loader;
export const action = route.action;
