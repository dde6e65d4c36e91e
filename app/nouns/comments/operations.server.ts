import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import {
  addCommentInput,
  commentIdInput,
  commentListSchema,
  commentSchema,
  editCommentInput,
  jobMessagesSchema,
  listCommentsInput,
  messageJobInput,
} from "~/wire/comments/contract";

/** The newest comments on a PBI, story or task, in order of time. */
export const listComments = operation("list_comments", listCommentsInput, commentListSchema);

/** Adds a comment and notifies mentioned people. */
export const addComment = operation("add_comment", addCommentInput, commentSchema);

/** Edits the caller's own comment. */
export const editComment = operation("edit_comment", editCommentInput, commentSchema);

/** Deletes a comment; its author or the product's owner only. */
export const deleteComment = operation("delete_comment", commentIdInput, z.object({ deleted: z.boolean() }));

/** Messages to a job's agent, and their state. */
export const listJobMessages = operation("list_job_messages", jobIdInput, jobMessagesSchema);

/** Comments on a job's task and sends the comment to its agent. */
export const messageJob = operation("message_job", messageJobInput, commentSchema);
