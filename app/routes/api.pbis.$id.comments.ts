import { commentsRoute } from "~/features/comments/comments.server";

/** `/api/pbis/:id/comments`: lists and adds comments. */
export const loader = commentsRoute("pbi");

export const action = loader;
