import { commentsRoute } from "~/features/comments/comments.server";

export const loader = commentsRoute("task");

export const action = loader;
