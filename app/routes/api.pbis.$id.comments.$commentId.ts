import { commentRoute } from "~/http/comment-routes.server";

/** `/api/pbis/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("pbi");
