import { commentsRoute } from "~/http/comment-routes.server";

/** `/api/tasks/:id/comments`: what was said, and one comment more. */
export const loader = commentsRoute("task");
export const action = loader;
