import { dependenciesRoute } from "~/features/dependencies/dependencies.server";

/** `/api/tasks/:id/dependencies`: lists blockers and blocked tasks; adds a blocker. */
export const loader = dependenciesRoute("task");

export const action = loader;
