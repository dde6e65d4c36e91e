import { commentRoute } from "~/http/comment-routes.server";

/** `/api/stories/:id/comments/:commentId`: another text, or no comment any more. */
export const loader = commentRoute("story");
export const action = loader;
