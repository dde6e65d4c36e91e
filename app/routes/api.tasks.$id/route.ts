import { updateTaskBody } from "~/contract/task";
import { getTaskDetail, updateTask } from "~/domain/tasks/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Detail and update of a task (specification: GET and PATCH /api/tasks/:id). */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "task",
    handle: async ({ actor, id }) => jsonText(await getTaskDetail.json(actor, { task_id: id })),
  }),
  PATCH: endpoint({
    auth: "bearer",
    write: true,
    id: "task",
    body: updateTaskBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await updateTask.json(actor, { task_id: id, ...body })),
  }),
});

export const loader = route.loader;
export const action = route.action;
