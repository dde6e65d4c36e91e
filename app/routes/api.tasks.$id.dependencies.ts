import { dependenciesRoute } from "~/http/dependency-routes.server";

/** `/api/tasks/:id/dependencies`: lists blockers and blocked tasks; adds a blocker. */
export const loader = dependenciesRoute("task");
