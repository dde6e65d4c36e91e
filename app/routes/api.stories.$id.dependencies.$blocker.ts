import { dependencyRoute } from "~/features/dependencies/dependencies.server";

/** `DELETE /api/stories/:id/dependencies/:blocker`: blocker by id or code; 204 even if there is none. */
export const loader = dependencyRoute("story");

export const action = loader;
