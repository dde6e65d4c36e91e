import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import * as wire from "~/wire/comments/contract";

/** The newest comments on a PBI, story or task, in order of time. */
export const listComments = operation("list_comments", wire.listCommentsInput, wire.commentListSchema);

/** Adds a comment and notifies mentioned people. */
export const addComment = operation("add_comment", wire.addCommentInput, wire.commentSchema);

/** Edits the caller's own comment. */
export const editComment = operation("edit_comment", wire.editCommentInput, wire.commentSchema);

/** Deletes a comment; its author or the product's owner only. */
export const deleteComment = operation("delete_comment", wire.commentIdInput, z.object({ deleted: z.boolean() }));

/** Messages to a job's agent, and their state. */
export const listJobMessages = operation("list_job_messages", jobIdInput, wire.jobMessagesSchema);

/** Comments on a job's task and sends the comment to its agent. */
export const messageJob = operation("message_job", wire.messageJobInput, wire.commentSchema);
