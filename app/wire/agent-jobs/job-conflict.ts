import { z } from "zod";
import { attemptSchema, httpUrlSchema, idSchema, text } from "../text";

/** What the work conflicts with: its own branch that has moved on, the main branch, or another branch of its run. */
const conflictKinds = ["branch", "base", "sibling"] as const;

/** Most files listed, files with both sides included, and bytes of one side and of the body. */
export const conflictLimits = { files: 500, shown: 20, side: 6_144, body: 1_048_576 } as const;

const sha = z.string().regex(/^[0-9a-f]{7,64}$/, "Must be a commit's hash.");
/** The conflicting part of one side; null if that side lacks the file. */
const side = text(conflictLimits.side).nullish();

const conflictFileSchema = z.object({ path: text(1_000), ours: side, theirs: side });
export type ConflictFile = z.infer<typeof conflictFileSchema>;

/** Body of `POST /api/jobs/:id/conflicts`: two commits that conflict, with both sides of each file. */
export const reportJobConflictBody = z.object({
  attempt: attemptSchema,
  kind: z.enum(conflictKinds),
  /** For kind `sibling`: the other branch. */
  branch: text(200).optional(),
  ours_sha: sha,
  theirs_sha: sha,
  files: z.array(conflictFileSchema).min(1).max(conflictLimits.files),
  /** The attempt had both versions but did not resolve the conflict. */
  in_vain: z.boolean().optional(),
  pr_url: httpUrlSchema.optional(),
  session_id: text(300).optional(),
  kept_ref: text(300).optional(),
});

export const reportJobConflictInput = reportJobConflictBody.extend({ job_id: idSchema });
export type ReportJobConflictInput = z.infer<typeof reportJobConflictInput>;

/** `go_on`: the other job resolves it, or none needs to. `home`: the job is requeued. `paused`: two tries failed. */
export const conflictDecisionSchema = z.object({
  decision: z.enum(["go_on", "home", "paused"]),
  task_id: z.string().nullable(),
  task_code: z.string().nullable(),
});
export type ConflictDecision = z.infer<typeof conflictDecisionSchema>;

/** A conflict of a claimed job's work, for the attempt that resolves it. */
export const claimedConflictSchema = z.object({
  kind: z.enum(conflictKinds),
  branch: z.string(),
  task_id: z.string().nullable(),
  task_code: z.string().nullable(),
  ours_sha: z.string(),
  theirs_sha: z.string(),
  files: z.array(conflictFileSchema),
});
export type ClaimedConflict = z.infer<typeof claimedConflictSchema>;
