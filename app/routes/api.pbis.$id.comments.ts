import { commentsRoute } from "~/http/comment-routes.server";

/** `/api/pbis/:id/comments`: lists and adds comments. */
export const loader = commentsRoute("pbi");
