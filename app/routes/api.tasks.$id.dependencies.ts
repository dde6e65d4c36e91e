import { dependenciesRoute } from "~/http/dependency-routes.server";

/** `/api/tasks/:id/dependencies`: what a task waits for and what waits for it, and one more of them. */
export const loader = dependenciesRoute("task");
export const action = loader;
