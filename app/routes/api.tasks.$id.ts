import { apiRoute, expectedVersions, operationEndpoint } from "~/http/endpoint.server";
import { getTaskDetail, updateTask } from "~/nouns/tasks/operations.server";
import { updateTaskBody } from "~/wire/tasks/contract";

/** Detail and update of a task (specification: GET and PATCH /api/tasks/:id). */
export const loader = apiRoute({
  GET: operationEndpoint(getTaskDetail, {
    name: "getTask",
    summary: "Get a task",
    versioned: "always",
    input: ({ id }) => ({ task_id: id }),
  }),
  PATCH: operationEndpoint(updateTask, {
    summary: "Change a task's status, plan or labels",
    auth: "bearer",
    body: updateTaskBody,
    refusals: [409, 412],
    versioned: "if-asked",
    input: ({ id, body, request }) => ({ ...body, task_id: id, expected_version: expectedVersions(request) }),
  }),
});

export const action = loader;
