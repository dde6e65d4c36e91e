import { commentsRoute } from "~/features/comments/comments.server";

export const loader = commentsRoute("story");

export const action = loader;
