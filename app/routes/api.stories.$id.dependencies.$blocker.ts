import { dependencyRoute } from "~/http/dependency-routes.server";

/** `DELETE /api/stories/:id/dependencies/:blocker`: the other end by its id or code, 204 also when there is none. */
export const loader = dependencyRoute("story");
export const action = loader;
