import { commentsRoute } from "~/features/comments/comments.server";

/** `/api/stories/:id/comments`: lists and adds comments. */
export const loader = commentsRoute("story");

export const action = loader;
