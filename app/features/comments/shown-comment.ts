import type { SafeHtml } from "~/features/markdown/prose";
import type { Comment, CommentPlace } from "~/wire/comments/contract";

export interface ShownComments {
  kind: CommentPlace;
  id: string;
  productId: string;
  viewerId: string;
  list: readonly ShownComment[];
  /** Cursor of the earlier comments; null if there are none. */
  earlier: string | null;
}

export interface ShownComment extends Comment {
  text: SafeHtml | null;
}

export const earlierParameter = "comments-before";
