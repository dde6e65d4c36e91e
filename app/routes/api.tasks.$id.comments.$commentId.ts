import { commentRoute } from "~/http/comment-routes.server";

/** `/api/tasks/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("task");
