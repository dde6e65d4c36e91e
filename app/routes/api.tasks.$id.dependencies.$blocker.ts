import { dependencyRoute } from "~/http/dependency-routes.server";

/** `DELETE /api/tasks/:id/dependencies/:blocker`: the other end by its id or code, 204 also when there is none. */
export const loader = dependencyRoute("task");
export const action = loader;
