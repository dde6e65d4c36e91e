import { dependenciesRoute } from "~/features/dependencies/dependencies.server";

/** `/api/stories/:id/dependencies`: lists blockers and blocked stories; adds a blocker. */
export const loader = dependenciesRoute("story");

export const action = loader;
