import { commentsRoute } from "~/http/comment-routes.server";

/** `/api/pbis/:id/comments`: what was said, and one comment more. */
export const loader = commentsRoute("pbi");
export const action = loader;
