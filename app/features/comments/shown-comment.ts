import type { Comment, CommentPlace } from "~/contract/comment";
import type { SafeHtml } from "~/features/markdown/prose";

/** The comments of an item as a page shows them. */
export interface ShownComments {
  kind: CommentPlace;
  /** The item that they are about. */
  id: string;
  productId: string;
  viewerId: string;
  list: readonly ShownComment[];
  /** Leads to the ones before these; null where there are none. */
  earlier: string | null;
}

export interface ShownComment extends Comment {
  text: SafeHtml | null;
}

/** Names the comment before which those of the page end. */
export const earlierParameter = "comments-before";
