import { commentsRoute } from "~/http/comment-routes.server";

/** `/api/stories/:id/comments`: what was said, and one comment more. */
export const loader = commentsRoute("story");
export const action = loader;
