import { commentRoute } from "~/features/comments/comments.server";

export const loader = commentRoute("story");

export const action = loader;
