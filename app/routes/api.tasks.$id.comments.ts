import { commentsRoute } from "~/features/comments/comments.server";

export const { loader, action } = commentsRoute("task");
