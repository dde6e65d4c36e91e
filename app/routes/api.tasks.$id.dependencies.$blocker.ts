import { dependencyRoute } from "~/features/dependencies/dependencies.server";

/** `DELETE /api/tasks/:id/dependencies/:blocker`: blocker by id or code; 204 even if there is none. */
export const loader = dependencyRoute("task");

export const action = loader;
