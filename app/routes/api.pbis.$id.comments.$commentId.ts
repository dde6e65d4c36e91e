import { commentRoute } from "~/features/comments/comments.server";

export const loader = commentRoute("pbi");

export const action = loader;
