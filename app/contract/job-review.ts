import { z } from "zod";
import { agentJobSchema } from "./agent-job";
import { filePathSchema } from "./job-diff";
import { idSchema, requiredText, text } from "./text";

export const reviewVerdicts = ["approve", "request_changes"] as const;

/** Body of `POST /api/jobs/:id/comments`: a comment on a line of the newest diff, or of that of an attempt. */
export const addJobCommentBody = z.object({
  path: filePathSchema,
  line: z.int().min(1).max(100_000_000),
  /** Of a line that is gone the number that it had. */
  side: z.enum(["old", "new"]).default("new"),
  body: requiredText(10_000),
  attempt: z.int().min(1).optional(),
});
export type AddJobCommentInput = z.infer<typeof addJobCommentBody> & { job_id: string };

/** Body of `POST /api/jobs/:id/review`: all comments that were collected are sent along. */
export const reviewJobBody = z.object({
  verdict: z.enum(reviewVerdicts),
  summary: text(10_000).optional(),
});

export const reviewJobInput = reviewJobBody.extend({ job_id: idSchema });

export const jobCommentIdInput = z.object({ job_id: idSchema, comment_id: idSchema });

export const storedCommentSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  /** Null for a draft. */
  review_id: z.string().nullable(),
  attempt: z.int(),
  path: z.string(),
  line: z.int(),
  side: z.enum(["old", "new"]),
  line_text: z.string(),
  body: z.string(),
  author_id: z.string().nullable(),
  author: z.string(),
  draft: z.boolean(),
  created_at: z.string(),
});

export const jobCommentSchema = storedCommentSchema.extend({
  /** Its line is not in the newest changes as it was. */
  stale: z.boolean(),
  /** Where its line is now; null when it is stale. */
  current_line: z.int().nullable(),
});
export type JobComment = z.infer<typeof jobCommentSchema>;

export const jobReviewSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  attempt: z.int(),
  verdict: z.enum(reviewVerdicts),
  summary: z.string(),
  author_id: z.string().nullable(),
  author: z.string(),
  created_at: z.string(),
});

export const storedCommentsSchema = z.object({
  comments: z.array(storedCommentSchema),
  reviews: z.array(jobReviewSchema),
});

export const jobCommentsSchema = z.object({
  comments: z.array(jobCommentSchema),
  reviews: z.array(jobReviewSchema),
});
export type JobComments = z.infer<typeof jobCommentsSchema>;

/** What a claim carries of the newest review: its words without a place, and each comment with its line. */
export const reviewCommentSchema = z.object({
  path: z.string().nullable(),
  line: z.int().nullable(),
  side: z.enum(["old", "new"]).nullable(),
  line_text: z.string().nullable(),
  body: z.string(),
  author: z.string(),
});

export const sentReviewSchema = jobReviewSchema.extend({ job: agentJobSchema });
