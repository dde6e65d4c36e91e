import { commentRoute } from "~/features/comments/comments.server";

/** `/api/stories/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("story");

export const action = loader;
