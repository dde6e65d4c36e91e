import { commentRoute } from "~/http/comments.server";

/** `/api/stories/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("story");

export const action = loader;
