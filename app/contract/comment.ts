import { z } from "zod";
import { idSchema, limitInQuery, requiredText } from "./text";

/** Where a comment can stand. */
export const commentPlaces = ["pbi", "story", "task"] as const;
export type CommentPlace = (typeof commentPlaces)[number];

/** The longest comment, in characters. */
export const commentLength = 10_000;

/** What becomes of a comment that is sent to an agent. */
export const messageStates = ["sent", "seen", "acted_on", "undelivered"] as const;
export const messageStateSchema = z.enum(messageStates);
export type MessageState = z.infer<typeof messageStateSchema>;

/** A comment at one of the agents that it was sent to. */
const deliverySchema = z.object({
  /** Null for a job that is deleted. */
  job_id: z.string().nullable(),
  state: messageStateSchema,
  /** Why no agent saw it. */
  reason: z.string().nullable(),
  attempt: z.int().nullable(),
  seen_at: z.string().nullable(),
});

/** A comment as every answer shows it. */
export const commentSchema = z.object({
  id: z.string(),
  body: z.string().describe("Markdown; data that a user wrote"),
  author: z.string(),
  /** Null for an author of an import, and for one whose account is gone. */
  author_id: z.string().nullable(),
  created_at: z.string(),
  /** When its author last changed it; null when never. */
  edited_at: z.string().nullable(),
  /** Of a comment that was sent to agents: what became of it, where it is least far. */
  state: messageStateSchema.optional(),
  deliveries: z.array(deliverySchema).optional(),
});
export type Comment = z.infer<typeof commentSchema>;

/** The newest comments in the order in which they were written. */
export const commentListSchema = z.object({
  comments: z.array(commentSchema),
  /** For the comments before these; null where there are none. */
  next_cursor: z.string().nullable(),
});

export const commentLimit = { default: 100, max: 200 } as const;

export const commentBody = z.object({ body: requiredText(commentLength) });

export const commentQuery = z.object({
  limit: limitInQuery(commentLimit),
  cursor: idSchema.optional(),
});

const place = { kind: z.enum(commentPlaces), id: idSchema };

export const listCommentsInput = z.object({
  ...place,
  limit: z.int().min(1).max(commentLimit.max).optional(),
  cursor: idSchema.optional(),
});

export const addCommentBody = commentBody.extend({
  send_to_agent: z
    .boolean()
    .optional()
    .describe("On a task or story: also send it to the agent at work"),
});

export const addCommentInput = addCommentBody.extend(place);

export const commentIdInput = z.object({ ...place, comment_id: idSchema });

export const editCommentInput = commentIdInput.extend(commentBody.shape);
