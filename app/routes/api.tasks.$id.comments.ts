import { commentsRoute } from "~/features/comments/comments.server";

/** `/api/tasks/:id/comments`: lists and adds comments. */
export const loader = commentsRoute("task");

export const action = loader;
