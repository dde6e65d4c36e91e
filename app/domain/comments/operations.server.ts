import { z } from "zod";
import { jobIdInput } from "~/contract/agent-job";
import { jobMessagesSchema, messageJobInput } from "~/contract/agent-message";
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

/** Messages to the agent of a job, and what became of them. */
export const listJobMessages = operation("list_job_messages", jobIdInput, jobMessagesSchema);

/** Comments on the task of a job, and sends that to its agent. */
export const messageJob = operation("message_job", messageJobInput, commentSchema);
