import {
  addCommentBody,
  type CommentPlace,
  commentBody,
  commentQuery,
} from "~/nouns/comments/contract";
import {
  addComment,
  deleteComment,
  editComment,
  listComments,
} from "~/nouns/comments/operations.server";
import { apiRoute } from "./api-route.server";
import { operationEndpoint } from "./operation-endpoint.server";
import { canonicalId } from "./uuid";

const nouns: Record<CommentPlace, string> = { pbi: "PBI", story: "Story", task: "Task" };
const named: Record<CommentPlace, string> = { pbi: "PBI", story: "story", task: "task" };

/** Route that lists and adds comments, for PBIs, stories and tasks alike. */
export function commentsRoute(kind: CommentPlace) {
  return apiRoute({
    GET: operationEndpoint(listComments, {
      name: `list${nouns[kind]}Comments`,
      summary: `List the newest comments on a ${named[kind]}, oldest first`,
      query: commentQuery,
      input: ({ id, query }) => ({ kind, id, ...query }),
    }),
    POST: operationEndpoint(addComment, {
      name: `add${nouns[kind]}Comment`,
      summary: `Comment on a ${named[kind]}; @name notifies a member`,
      body: addCommentBody,
      status: 201,
      refusals: [409, 429],
      input: ({ id, body }) => ({ kind, id, ...body }),
    }),
  });
}

/** Route that edits and deletes one comment. */
export function commentRoute(kind: CommentPlace) {
  return apiRoute({
    PATCH: operationEndpoint(editComment, {
      name: `edit${nouns[kind]}Comment`,
      summary: `Edit your own comment on a ${named[kind]}`,
      body: commentBody,
      refusals: [429],
      input: ({ id, params, body }) => ({
        kind,
        id,
        comment_id: canonicalId(params.commentId),
        ...body,
      }),
    }),
    DELETE: operationEndpoint(deleteComment, {
      name: `delete${nouns[kind]}Comment`,
      summary: `Delete a comment on a ${named[kind]}. Its author or the product's owner`,
      status: 204,
      refusals: [429],
      input: ({ id, params }) => ({
        kind,
        id,
        comment_id: canonicalId(params.commentId),
      }),
    }),
  });
}
