import { commentRoute } from "~/features/comments/comments.server";

export const loader = commentRoute("task");

export const action = loader;
