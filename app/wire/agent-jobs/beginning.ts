import { z } from "zod";
import { idSchema } from "../text";

/** Work of a story that is not on the main branch yet. The next run continues it. */
export const beginningSchema = z.object({
  story_id: z.string(),
  story_code: z.string(),
  branch: z.string(),
  head_sha: z.string(),
  job_id: z.string(),
  task_code: z.string(),
  /** Commits missing on the main branch when the work was pushed; null if the worker did not report it. */
  commits: z.int().nullable(),
  message: z.string(),
});
export type Beginning = z.infer<typeof beginningSchema>;

/** A commit that the branch of a claimed job must contain. */
export const claimedBeginningSchema = z.object({
  story_id: idSchema,
  story_code: z.string(),
  task_id: idSchema,
  task_code: z.string(),
  job_id: idSchema,
  /** True if its job is done; false if the job was stopped before its work was judged. */
  judged: z.boolean(),
  branch: z.string(),
  base_sha: z.string().nullable(),
  head_sha: z.string(),
});
export type ClaimedBeginning = z.infer<typeof claimedBeginningSchema>;

/** Records that a person made a story start over from the main branch. */
export const freshStartSchema = z.object({
  id: z.string(),
  started_by: z.string(),
  created_at: z.string(),
  left: z.array(z.object({ branch: z.string(), head_sha: z.string() })),
});
export type FreshStart = z.infer<typeof freshStartSchema>;

export const startOverInput = z.object({ kind: z.enum(["story", "sprint"]), id: idSchema });
export const startOverSchema = z.object({ left: z.array(beginningSchema) });
