import { commentsRoute } from "~/http/comment-routes.server";

/** `/api/stories/:id/comments`: lists and adds comments. */
export const loader = commentsRoute("story");
