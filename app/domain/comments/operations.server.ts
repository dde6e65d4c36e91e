import { z } from "zod";
import {
  addCommentInput,
  commentIdInput,
  commentListSchema,
  commentSchema,
  editCommentInput,
  listCommentsInput,
} from "~/contract/comment";
import { operation } from "../operation.server";

/** The newest comments on a PBI, story or task, oldest of them first. */
export const listComments = operation("list_comments", listCommentsInput, commentListSchema);

/** Adds a comment, and tells whom it mentions. */
export const addComment = operation("add_comment", addCommentInput, commentSchema);

/** Changes what the caller wrote. */
export const editComment = operation("edit_comment", editCommentInput, commentSchema);

/** Deletes a comment: its author, or the owner of the product. */
export const deleteComment = operation(
  "delete_comment",
  commentIdInput,
  z.object({ deleted: z.boolean() }),
);
