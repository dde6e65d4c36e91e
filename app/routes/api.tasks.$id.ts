import { updateTaskBody } from "~/contract/task";
import { getTaskDetail, updateTask } from "~/domain/tasks/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";

/** Detail and update of a task (specification: GET and PATCH /api/tasks/:id). */
export const loader = apiRoute({
  GET: operationEndpoint(getTaskDetail, {
    name: "getTask",
    summary: "Task in detail",
    auth: "either",
    id: "task",
    input: ({ id }) => ({ task_id: id }),
  }),
  PATCH: operationEndpoint(updateTask, {
    name: "updateTask",
    summary: "Change the status or the plan of a task",
    auth: "bearer",
    id: "task",
    body: updateTaskBody,
    refusals: [409],
    input: ({ id, body }) => ({ task_id: id, ...body }),
  }),
});
export const action = loader;
