import { commentRoute } from "~/http/comment-routes.server";

/** `/api/stories/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("story");
