import { addDependencyBody } from "~/contract/dependency";
import { addDependency, listDependencies } from "~/domain/dependencies/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** `/api/stories/:id/dependencies`: what a story waits for and what waits for it, and one more of them. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "story",
    handle: async ({ actor, id }) =>
      jsonText(await listDependencies.json(actor, { kind: "story", id })),
  }),
  POST: endpoint({
    auth: "bearer",
    write: true,
    id: "story",
    body: addDependencyBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await addDependency.json(actor, { kind: "story", id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
