import { commentsRoute } from "~/features/comments/comments.server";

export const loader = commentsRoute("pbi");

export const action = loader;
