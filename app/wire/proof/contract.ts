import { z } from "zod";
import { fileSchema } from "../files/contract";
import { doneRequirements } from "../products/contract";
import { attemptSchema, httpUrlSchema, idSchema, integerSchema, requiredText, text } from "../text";

/** Who saw it, weakest first: the agent says so, the worker ran the command, another worker looked, CI, a person. */
export const evidenceGrades = ["said", "worker", "other_worker", "ci", "person"] as const;
export const evidenceVerdicts = ["pass", "fail", "unverifiable"] as const;
export const evidenceKinds = ["command", "diff", "file", "picture", "link", "person"] as const;
const criterionStates = ["unproven", "proven", "stale", "failed", "waived"] as const;

export const criterionKinds = ["acceptance", "definition_of_done"] as const;

/** What an excerpt may have at most, in bytes. */
export const excerptBytes = 8_192;

const criterionIdSchema = z.string().regex(/^[0-9a-f]{12}$/, "Must be the id of a criterion.");

const excerptSchema = text(excerptBytes).refine((value) => new TextEncoder().encode(value).length <= excerptBytes, {
  message: "Must have at most 8 KiB.",
});

const exitCode = integerSchema;

const observation = {
  criterion: criterionIdSchema,
  verdict: z.enum(evidenceVerdicts).optional(),
  kind: z.enum(["command", "diff", "file", "picture", "link"]).optional(),
  command: text(2_000).optional(),
  exit_code: exitCode.optional(),
  /** How the same command ended on the base of the work. A pass that was one there too proves nothing. */
  base_exit_code: exitCode.optional(),
  /** It keeps what worked from breaking: counts for the definition of done without failing before. */
  guards: z.boolean().optional(),
  excerpt: excerptSchema.optional(),
  url: httpUrlSchema.optional(),
  /** Id of a file of the product that shows it. */
  file: idSchema.optional(),
  /** The same without the work: what it looked like before. */
  base_file: idSchema.optional(),
  head_sha: text(64).optional(),
};

/** What an attempt says of one criterion, within its report. */
export const reportedEvidenceInput = z
  .strictObject({
    ...observation,
    /** "worker": the worker program itself ran the command and saw the exit code. */
    grade: z.enum(["said", "worker"]).optional(),
    /** For a batch: the story, when it is not the one at work. */
    story_id: idSchema.optional(),
  })
  .meta({ brief: "criterion: id; verdict: pass, fail or unverifiable" });
export type ReportedEvidence = z.infer<typeof reportedEvidenceInput>;

/** What `POST /api/stories/:id/evidence` takes. */
export const addEvidenceBody = z.object({
  ...observation,
  kind: z.enum(evidenceKinds).optional(),
  grade: z.enum(["said", "worker", "person"]).optional(),
  job_id: idSchema.optional(),
  attempt: attemptSchema.optional(),
});

export const addEvidenceInput = addEvidenceBody.extend({ story_id: idSchema });

/** What a person says of a criterion on a page. */
export const judgeCriterionInput = z.object({
  story_id: idSchema,
  criterion: criterionIdSchema,
  verdict: z.enum(["pass", "fail"]),
});

/** Body of `POST /api/stories/:id/waivers`. */
export const waiveCriterionBody = z.object({ criterion: criterionIdSchema, reason: requiredText(2_000) });

export const waiveCriterionInput = waiveCriterionBody.extend({ story_id: idSchema });

export const evidenceSchema = z.object({
  id: z.string(),
  criterion: z.string(),
  verdict: z.enum(evidenceVerdicts),
  grade: z.enum(evidenceGrades),
  kind: z.enum(evidenceKinds),
  command: z.string().nullable(),
  exit_code: z.int().nullable(),
  /** How the command ended without the work; null where it was not run there. */
  base_exit_code: z.int().nullable(),
  guards: z.boolean(),
  /** It passes without the work as well, and proves nothing by it. */
  passed_before: z.boolean(),
  excerpt: z.string().nullable(),
  url: z.string().nullable(),
  file: fileSchema.nullable(),
  /** What it looked like without the work. */
  base_file: fileSchema.nullable(),
  head_sha: z.string().nullable(),
  job_id: z.string().nullable(),
  attempt: z.int().nullable(),
  observed_by: z.string(),
  stale: z.boolean(),
  /** Who requested changes of the work that it was seen in: it proves nothing any more. */
  voided_by: z.string().nullable(),
  created_at: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const waiverSchema = z.object({ reason: z.string(), waived_by: z.string(), created_at: z.string() });

export const provenCriterionSchema = z.object({
  id: z.string(),
  kind: z.enum(criterionKinds),
  text: z.string(),
  state: z.enum(criterionStates),
  grade: z.enum(evidenceGrades).nullable(),
  waiver: waiverSchema.nullable(),
  evidence: z.array(evidenceSchema),
});
export type ProvenCriterion = z.infer<typeof provenCriterionSchema>;

/** What proves a story; `former` is what was said of lines that were edited since. */
export const storyProofSchema = z.object({
  story_id: z.string(),
  done_requires: z.enum(doneRequirements),
  head_sha: z.string().nullable(),
  criteria: z.array(provenCriterionSchema),
  former: z.array(
    z.object({ id: z.string(), text: z.string(), waiver: waiverSchema.nullable(), evidence: z.array(evidenceSchema) }),
  ),
});
/** What proves the stories of a job: one, or those of its batch. */
export const jobProofSchema = z.object({
  stories: z.array(z.object({ id: z.string(), code: z.string(), title: z.string(), proof: storyProofSchema })),
});
export type StoryProof = z.infer<typeof storyProofSchema>;

export const claimedCriterionSchema = z.object({
  id: criterionIdSchema,
  story_id: idSchema,
  kind: z.enum(criterionKinds),
  text: z.string(),
  state: z.enum(criterionStates),
  grade: z.enum(evidenceGrades).nullable(),
  /** What proved it the last time. */
  command: z.string().nullable(),
});
export type ClaimedCriterion = z.infer<typeof claimedCriterionSchema>;

export const findingSchema = z.object({
  criterion: z.string(),
  text: z.string(),
  verdict: z.enum(evidenceVerdicts),
  command: z.string().nullable(),
  exit_code: z.int().nullable(),
  excerpt: z.string().nullable(),
  observed_by: z.string(),
});
