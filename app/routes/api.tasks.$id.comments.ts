import { commentsRoute } from "~/http/comment-routes.server";

/** `/api/tasks/:id/comments`: lists and adds comments. */
export const loader = commentsRoute("task");
