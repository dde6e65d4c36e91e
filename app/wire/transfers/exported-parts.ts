import { z } from "zod";
import { commentLength } from "../comments/contract";
import { lessonStatuses, returnCauses } from "../lessons/contract";
import { lessonLimits } from "../limits";
import { evidenceGrades, evidenceKinds, evidenceVerdicts } from "../proof/contract";
import { reviewVerdicts } from "../reviews/contract";
import { attemptSchema, isStorable, requiredText } from "../text";

/** Fields and parts that several entries of the export file share (docs/export-format.md). */
export const time = z.iso.datetime({ offset: true });
export const code = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,30}$/, "must be 1 to 30 letters, digits, dots, underscores or hyphens")
  .nullable()
  .default(null);
/** Longest title here; the converter of other formats cuts longer ones and keeps them in the description. */
export const titleLimit = 300;
export const title = z.string().min(1).max(titleLimit);
export const longText = z.string().max(100_000).refine(isStorable, "must not contain NUL or half characters");
export const text = longText.default("");
export const priority = z.int().min(0).max(1_000_000).default(3);
export const address = z.string().min(1).max(2000).nullable().default(null);

/** Names of labels of the product; one that it does not list is left out. */
export const labelNames = z.array(z.string()).max(20).default([]);

export const logEntrySchema = z.object({
  type: z.enum(["IMPLEMENTATION_PLAN", "TEST_RESULT", "COMMIT"]),
  content: longText.min(1),
  status: z.enum(["PASSED", "FAILED"]).nullable().default(null),
  commit_hash: z.string().nullable().default(null),
  commit_message: z.string().nullable().default(null),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null),
  username: z.string().nullable().default(null),
  created_at: time.optional(),
});

const lineCommentSchema = z.object({
  attempt: attemptSchema.default(1),
  path: z.string().min(1).max(4096).refine(isStorable),
  line: z.int().min(1),
  side: z.enum(["old", "new"]).default("new"),
  line_text: z.string().max(2000).refine(isStorable).default(""),
  body: z.string().min(1).max(10_000).refine(isStorable),
  author: z.string().min(1).max(200),
  created_at: time.optional(),
});

/** How someone judged the work of an attempt, with their comments on its lines. */
export const reviewSchema = z.object({
  attempt: attemptSchema.default(1),
  verdict: z.enum(reviewVerdicts),
  summary: z.string().max(10_000).refine(isStorable).default(""),
  author: z.string().min(1).max(200),
  handed_in_at: time.nullable().default(null),
  first_seen_at: time.nullable().default(null),
  created_at: time.optional(),
  comments: z.array(lineCommentSchema).default([]),
});

/** What someone said about a PBI, story or task. */
export const commentsSchema = z
  .array(
    z.object({
      body: z.string().min(1).max(commentLength).regex(/\S/, "must not be blank").refine(isStorable),
      author: z.string().min(1).max(200),
      created_at: time.optional(),
      edited_at: time.nullable().default(null),
    }),
  )
  .max(1000)
  .default([]);

/** The words of a criterion, as they stand in the story or in the definition of done. */
export const criterion = longText.min(1);

export const evidenceSchema = z.object({
  criterion,
  verdict: z.enum(evidenceVerdicts),
  grade: z.enum(evidenceGrades),
  kind: z.enum(evidenceKinds),
  command: z.string().max(2000).nullable().default(null),
  exit_code: z.int().nullable().default(null),
  base_exit_code: z.int().nullable().default(null),
  guards: z.boolean().default(false),
  passed_before: z.boolean().default(false),
  excerpt: z.string().max(8192).refine(isStorable).nullable().default(null),
  url: address,
  /** Ids of files. */
  file: z.uuid().nullable().default(null),
  base_file: z.uuid().nullable().default(null),
  head_sha: z.string().max(64).nullable().default(null),
  observed_by: z.string().min(1).max(200),
  voided_by: z.string().min(1).max(200).nullable().default(null),
  created_at: time.optional(),
});

const count = z.tuple([z.int().min(0), z.int().min(0)]).default([0, 0]);

/** What the team has learned. Agents read the accepted ones: at most as many as people could accept. */
export const exportedLessons = z
  .array(
    z.object({
      text: requiredText(lessonLimits.text),
      status: z.enum(lessonStatuses),
      cause: z.enum(returnCauses),
      /** Code of the task whose work came back. */
      task: z.string().nullable().default(null),
      labels: z.array(z.string()).max(40).default([]),
      accepted_by: z.string().min(1).max(200).nullable().default(null),
      since: time.nullable().default(null),
      before: count,
      after: count,
      has_effect: z.boolean().nullable().default(null),
      created_at: time.optional(),
    }),
  )
  .max(100_000)
  .refine((lessons) => lessons.filter(({ status }) => status === "accepted").length <= 50, {
    message: "at most 50 lessons can be accepted",
  })
  .default([]);

export const waiverSchema = z.object({
  criterion,
  reason: z.string().min(1).max(2000),
  waived_by: z.string().min(1).max(200),
  created_at: time.optional(),
});
