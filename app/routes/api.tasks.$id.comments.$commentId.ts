import { commentRoute } from "~/features/comments/comments.server";

/** `/api/tasks/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("task");

export const action = loader;
