import type { Actor } from "~/db/rpc.server";
import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { done, readForm, runForm, runOperation } from "~/http/form-action.server";
import { addComment, deleteComment, editComment, listComments } from "~/nouns/comments/operations.server";
import type { Principal } from "~/wire/accounts/contract";
import { canonicalId } from "~/wire/canonical-id";
import * as wire from "~/wire/comments/contract";
import { cursorSchema } from "~/wire/text";
import { renderMarkdown } from "../markdown/markdown.server";
import { earlierParameter, type ShownComments } from "./shown-comment";

const nouns: Record<wire.CommentPlace, string> = { pbi: "PBI", story: "Story", task: "Task" };
const named: Record<wire.CommentPlace, string> = { pbi: "PBI", story: "story", task: "task" };

/** Route that lists and adds comments, for PBIs, stories and tasks alike. */
export function commentsRoute(kind: wire.CommentPlace) {
  return apiRoute({
    GET: operationEndpoint(listComments, {
      name: `list${nouns[kind]}Comments`,
      summary: `List the newest comments on a ${named[kind]}, oldest first`,
      query: wire.commentQuery,
      input: ({ id, query }) => ({ kind, id, ...query }),
    }),
    POST: operationEndpoint(addComment, {
      name: `add${nouns[kind]}Comment`,
      summary: `Comment on a ${named[kind]}; @name notifies a member`,
      body: wire.addCommentBody,
      status: 201,
      refusals: [409, 429],
      input: ({ id, body }) => ({ kind, id, ...body }),
    }),
  });
}

/** Route that edits and deletes one comment. */
export function commentRoute(kind: wire.CommentPlace) {
  return apiRoute({
    PATCH: operationEndpoint(editComment, {
      name: `edit${nouns[kind]}Comment`,
      summary: `Edit your own comment on a ${named[kind]}`,
      body: wire.commentBody,
      refusals: [429],
      input: ({ id, params, body }) => ({ kind, id, comment_id: canonicalId(params.commentId), ...body }),
    }),
    DELETE: operationEndpoint(deleteComment, {
      name: `delete${nouns[kind]}Comment`,
      summary: `Delete a comment on a ${named[kind]}. Its author or the product's owner`,
      status: 204,
      refusals: [429],
      input: ({ id, params }) => ({ kind, id, comment_id: canonicalId(params.commentId) }),
    }),
  });
}

/** Intents for comment forms. Each form carries its item, so every page can use them. */
export function commentIntents(actor: Actor, form: FormData, back: string) {
  return {
    "add-comment": () =>
      runForm(form, wire.addCommentInput, async (input) => {
        const { id } = await addComment(actor, input);
        return done(form, `${back}#comment-${id}`, "Comment added");
      }),
    "edit-comment": async () => {
      const { id } = await editComment(actor, readForm(form, wire.editCommentInput));
      return done(form, `${back}#comment-${id}`, "Comment saved");
    },
    "delete-comment": () => runOperation(actor, form, deleteComment, `${back}#comments`, "Comment deleted"),
  };
}

export const commentsBefore = (address: URLSearchParams) => cursorSchema.safeParse(address.get(earlierParameter)).data;

/** One page of an item's comments with rendered Markdown. */
export async function showComments(
  { comments, next_cursor }: wire.CommentList,
  { kind, id, principal }: { kind: wire.CommentPlace; id: string; principal: Principal },
): Promise<Omit<ShownComments, "productId">> {
  const list = await Promise.all(
    comments.map(async (comment) => ({ ...comment, text: await renderMarkdown(comment.body, principal.user_id) })),
  );
  return { kind, id, viewerId: principal.user_id, list, earlier: next_cursor };
}
