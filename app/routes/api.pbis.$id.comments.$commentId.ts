import { commentRoute } from "~/http/comment-routes.server";

/** `/api/pbis/:id/comments/:commentId`: another text, or no comment any more. */
export const loader = commentRoute("pbi");
export const action = loader;
