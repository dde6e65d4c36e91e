import { commentRoute } from "~/http/comment-routes.server";

/** `/api/tasks/:id/comments/:commentId`: another text, or no comment any more. */
export const loader = commentRoute("task");
export const action = loader;
