import { removeDependency } from "~/domain/dependencies/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { noContent } from "~/http/responses.server";

/** `DELETE /api/stories/:id/dependencies/:blocker`: the other end by its id or code, 204 also when there is none. */
const route = apiRoute({
  DELETE: endpoint({
    auth: "bearer",
    write: true,
    id: "story",
    handle: async ({ actor, id, params }) => {
      await removeDependency(actor, { kind: "story", id, blocker: params.blocker ?? "" });
      return noContent({ "cache-control": "no-store" });
    },
  }),
});

export const loader = route.loader;
export const action = route.action;
