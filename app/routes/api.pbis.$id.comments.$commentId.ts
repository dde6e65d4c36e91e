import { commentRoute } from "~/features/comments/comments.server";

/** `/api/pbis/:id/comments/:commentId`: edits or deletes a comment. */
export const loader = commentRoute("pbi");

export const action = loader;
