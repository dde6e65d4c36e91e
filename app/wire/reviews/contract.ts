import { z } from "zod";
import { agentJobSchema } from "../agent-jobs/contract";
import { boundedInput, filePathSchema, jobDiffQuery } from "../agent-jobs/job-diff";
import { attemptSchema, cursorSchema, idSchema, limitInQuery, requiredText, text } from "../text";
import { markPathsSchema, reviewMarks } from "./marks";

export const reviewVerdicts = ["approve", "request_changes"] as const;

/** Body of `POST /api/jobs/:id/comments`: a comment on a line of the newest diff, or of an attempt's diff. */
export const addJobCommentBody = z.object({
  path: filePathSchema,
  line: z.int().min(1).max(100_000_000),
  /** `old`: `line` is the line number before the change, for deleted lines. */
  side: z.enum(["old", "new"]).default("new"),
  body: requiredText(10_000),
  attempt: attemptSchema.optional(),
});
export type AddJobCommentInput = z.infer<typeof addJobCommentBody> & { job_id: string };

const criteriaSchema = z.array(text(100)).max(500);

/** Body of `POST /api/jobs/:id/review`. Sends all draft comments with it. */
export const reviewJobBody = z.object({
  verdict: z.enum(reviewVerdicts),
  summary: text(10_000).optional(),
  /** What the page showed: with another attempt, or with a criterion that is not named here, nothing is judged. */
  attempt: attemptSchema.optional(),
  criteria: criteriaSchema.optional(),
  /** The unproven criteria that an approval confirms as well as the proven ones; without it, all of them. */
  confirm: criteriaSchema.optional(),
  /** How long a signed-in person can undo it; what follows from it begins after that. */
  undo_seconds: z.int().min(0).max(30).optional(),
});

/** Body of `POST /api/stories/:id/review`: one verdict for several attempts, all or none. */
export const reviewStoryBody = reviewJobBody.omit({ attempt: true }).extend({
  attempts: z
    .array(z.object({ job_id: idSchema, attempt: attemptSchema }))
    .min(1)
    .max(200),
  /** By job. */
  confirm: z.record(idSchema, criteriaSchema).optional(),
});

export const reviewStoryInput = reviewStoryBody.extend({ story_id: idSchema });

export const storyChangesInput = boundedInput.extend({ story_id: idSchema });

export const jobGuideInput = jobDiffQuery.extend({ job_id: idSchema });

/** Body of `PUT /api/jobs/:id/viewed`: whether the caller has looked at a file of an attempt. */
export const markViewedBody = z.object({ attempt: attemptSchema, path: filePathSchema, viewed: z.boolean() });

export const markViewedInput = markViewedBody.extend({ job_id: idSchema });

export const listViewedInput = z.object({ job_id: idSchema, attempt: z.int() });

/** Files that the caller has seen as they are at an attempt, and the newest attempt before it that they looked at. */
export const viewedSchema = z.object({ paths: z.array(z.string()), before: z.int().nullable() });

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
export type StoredComment = z.infer<typeof storedCommentSchema>;

export const jobCommentSchema = storedCommentSchema.extend({
  /** Its line changed or is missing in the newest diff. */
  stale: z.boolean(),
  /** Current line number; null if stale. */
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

export const jobCommentsSchema = z.object({ comments: z.array(jobCommentSchema), reviews: z.array(jobReviewSchema) });
export type JobComments = z.infer<typeof jobCommentsSchema>;

/** The newest review in a claim: its summary without a place, then each comment with its line. */
export const reviewCommentSchema = z.object({
  path: z.string().nullable(),
  line: z.int().nullable(),
  side: z.enum(["old", "new"]).nullable(),
  line_text: z.string().nullable(),
  body: z.string(),
  author: z.string(),
});

const waitSchema = z.object({ jobs: z.int(), median_seconds: z.int().nullable(), p90_seconds: z.int().nullable() });

/** How long finished work waited for a person to look at it first, and for the first verdict. */
export const reviewTimesSchema = z.object({ first_look: waitSchema, verdict: waitSchema });
export type ReviewTimes = z.infer<typeof reviewTimesSchema>;

/** How long the work had waited; null where this was not the first time. */
export const waitedSchema = z.object({ waited_seconds: z.number().nullable() });

/** Until when it can be taken back; null for one that counts at once. */
const undoable = { undo_until: z.string().nullable() };

export const sentReviewsSchema = z.object({ reviews: z.array(jobReviewSchema), ...undoable });

export const sentReviewSchema = jobReviewSchema.extend({ job: agentJobSchema, ...undoable });

const named = { id: z.string(), code: z.string() };

/** An attempt that waits for a verdict, with what approving it frees and how sure its proof is. */
export const waitingReviewSchema = z.object({
  job_id: z.string(),
  attempt: z.int(),
  head_sha: z.string().nullable(),
  product: z.object({ ...named, name: z.string() }),
  story: z.object({ ...named, title: z.string() }),
  task: z.object({ ...named, title: z.string() }),
  /** How many tasks its page judges together; size and marks are of all of them. */
  tasks: z.int(),
  waiting_since: z.string(),
  /** Tasks that start once it is approved, and their queued jobs. */
  frees: z.object({ tasks: z.int(), jobs: z.int() }),
  size: z.object({ files: z.int(), additions: z.int(), deletions: z.int() }),
  criteria: z.object({ proven: z.int(), total: z.int() }),
  marks: z.array(z.enum(reviewMarks)),
  mark_paths: markPathsSchema,
});
export type WaitingReview = z.infer<typeof waitingReviewSchema>;

export const waitingReviewsSchema = z.object({
  reviews: z.array(waitingReviewSchema),
  next_cursor: z.string().nullable(),
});

/** Other waiting work of the same files, with at most four of these. */
export const sameFilesSchema = z.array(z.object({ job_id: z.string(), code: z.string(), paths: z.array(z.string()) }));

export const listReviewsQuery = z.object({
  product_id: idSchema.optional(),
  limit: limitInQuery({ max: 100, default: 50 }),
  cursor: cursorSchema.optional(),
});

export const listReviewsInput = listReviewsQuery.extend({ limit: z.int().min(1).max(100).optional() });

/** What a guide is made of besides the files, as the database has it. */
export const guideSourceSchema = z.object({
  attempt: z.int(),
  head_sha: z.string(),
  /** Paths of tests. */
  tests: z.array(z.string()),
  criteria: z.array(z.string()),
  chapters: z.array(z.unknown()).nullable(),
  proof: z.string().nullable(),
});

export const saveJobGuideInput = z.object({
  job_id: idSchema,
  attempt: attemptSchema,
  head_sha: z.string(),
  chapters: z.array(z.unknown()),
});
