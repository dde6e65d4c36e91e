import { commentRoute } from "~/features/comments/comments.server";

export const { loader, action } = commentRoute("story");
