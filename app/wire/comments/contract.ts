import { z } from "zod";
import { cursorSchema, idSchema, limitInQuery, requiredText, text } from "../text";

export const commentPlaces = ["pbi", "story", "task"] as const;
export type CommentPlace = (typeof commentPlaces)[number];

/** Longest comment, in characters. */
export const commentLength = 10_000;

const messageStates = ["sent", "seen", "acted_on", "undelivered"] as const;
const messageStateSchema = z.enum(messageStates);
export type MessageState = z.infer<typeof messageStateSchema>;

const deliverySchema = z.object({
  /** Null if the job was deleted. */
  job_id: z.string().nullable(),
  state: messageStateSchema,
  /** Why no agent saw it. */
  reason: z.string().nullable(),
  attempt: z.int().nullable(),
  seen_at: z.string().nullable(),
});

export const commentSchema = z.object({
  id: z.string(),
  body: z.string().describe("Markdown; data that a user wrote"),
  author: z.string(),
  /** Null for imported authors and deleted accounts. */
  author_id: z.string().nullable(),
  created_at: z.string(),
  /** Last edit by the author; null if never edited. */
  edited_at: z.string().nullable(),
  /** For a comment sent to agents: the least advanced state of its deliveries. */
  state: messageStateSchema.optional(),
  deliveries: z.array(deliverySchema).optional(),
});
export type Comment = z.infer<typeof commentSchema>;

/** The newest comments, oldest first. */
export const commentListSchema = z.object({
  comments: z.array(commentSchema),
  /** Cursor for older comments; null if there are none. */
  next_cursor: z.string().nullable(),
});

export type CommentList = z.infer<typeof commentListSchema>;

export const commentLimit = { default: 100, max: 200 } as const;

export const commentBody = z.object({ body: requiredText(commentLength) });

export const commentQuery = z.object({ limit: limitInQuery(commentLimit), cursor: cursorSchema.optional() });

const place = { kind: z.enum(commentPlaces), id: idSchema };

export const listCommentsInput = z.object({
  ...place,
  limit: z.int().min(1).max(commentLimit.max).optional(),
  cursor: cursorSchema.optional(),
});

export const addCommentBody = commentBody.extend({
  send_to_agent: z.boolean().optional().describe("On a task or story: also send it to the agent working on it"),
});

export const addCommentInput = addCommentBody.extend(place);

export const commentIdInput = z.object({ ...place, comment_id: idSchema });

export const editCommentInput = commentIdInput.extend(commentBody.shape);

/** A message as the agent reads it. A repeated message has the same id. */
export const personMessageSchema = z.object({
  id: idSchema,
  about: z.string().describe("Code of the task or story"),
  author: z.string(),
  text: z.string(),
  sent_at: z.string(),
});
export type PersonMessage = z.infer<typeof personMessageSchema>;

export const seenMessagesSchema = z.array(text(36));

const jobMessageSchema = personMessageSchema.extend({
  comment_id: z.string(),
  state: messageStateSchema,
  reason: z.string().nullable(),
  attempt: z.int().nullable(),
  seen_at: z.string().nullable(),
});
export type JobMessage = z.infer<typeof jobMessageSchema>;

export const jobMessagesSchema = z.object({ messages: z.array(jobMessageSchema) });

export const messageJobInput = commentBody.extend({ job_id: idSchema });
