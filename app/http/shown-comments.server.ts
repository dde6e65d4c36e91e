import { cursorSchema } from "~/contract/text";
import { earlierParameter, type ShownComments } from "~/features/comments/shown-comment";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import type { CommentPlace } from "~/nouns/comments/contract";
import { listComments } from "~/nouns/comments/operations.server";
import type { SignedIn } from "./page-guards.server";

/** Returns one page of an item's comments with rendered Markdown. The address holds the cursor. */
export async function readShownComments(
  { actor, principal }: SignedIn,
  { kind, id, address }: { kind: CommentPlace; id: string; address: URLSearchParams },
): Promise<Omit<ShownComments, "productId">> {
  const before = address.get(earlierParameter);
  const { comments, next_cursor } = await listComments(actor, {
    kind,
    id,
    cursor: cursorSchema.safeParse(before).data,
  });
  const list = await Promise.all(
    comments.map(async (comment) => ({
      ...comment,
      text: await renderMarkdown(comment.body, principal.user_id),
    })),
  );
  return { kind, id, viewerId: principal.user_id, list, earlier: next_cursor };
}
