import { addDependencyBody } from "~/contract/dependency";
import { addDependency, listDependencies } from "~/domain/dependencies/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** `/api/tasks/:id/dependencies`: what a task waits for and what waits for it, and one more of them. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "task",
    handle: async ({ actor, id }) =>
      jsonText(await listDependencies.json(actor, { kind: "task", id })),
  }),
  POST: endpoint({
    auth: "bearer",
    write: true,
    id: "task",
    body: addDependencyBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await addDependency.json(actor, { kind: "task", id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
