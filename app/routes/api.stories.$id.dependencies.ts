import { dependenciesRoute } from "~/http/dependency-routes.server";

/** `/api/stories/:id/dependencies`: what a story waits for and what waits for it, and one more of them. */
export const loader = dependenciesRoute("story");
export const action = loader;
