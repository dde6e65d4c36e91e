import { z } from "zod";
import { idSchema, limitInQuery, requiredText } from "./text";

/** Where a comment can stand. */
export const commentPlaces = ["pbi", "story", "task"] as const;
export type CommentPlace = (typeof commentPlaces)[number];

/** The longest comment, in characters. */
export const commentLength = 10_000;

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

export const addCommentInput = commentBody.extend(place);

export const commentIdInput = z.object({ ...place, comment_id: idSchema });

export const editCommentInput = commentIdInput.extend(commentBody.shape);
