import { z } from "zod";
import { idSchema } from "./text";

/** Work of a story that is not on the main branch: the next run begins from it. */
export const beginningSchema = z.object({
  story_id: z.string(),
  story_code: z.string(),
  branch: z.string(),
  head_sha: z.string(),
  job_id: z.string(),
  task_code: z.string(),
  /** How many commits the main branch did not have when it was pushed; null where its worker did not say. */
  commits: z.int().nullable(),
  message: z.string(),
});
export type Beginning = z.infer<typeof beginningSchema>;

/** A head that the branch of a claimed job has to hold. */
export const claimedBeginningSchema = z.object({
  story_id: idSchema,
  story_code: z.string(),
  task_id: idSchema,
  task_code: z.string(),
  job_id: idSchema,
  /** Its job was done; else it was stopped before anybody had judged it. */
  judged: z.boolean(),
  branch: z.string(),
  base_sha: z.string().nullable(),
  head_sha: z.string(),
});
export type ClaimedBeginning = z.infer<typeof claimedBeginningSchema>;

/** That a person let a story start over from the main branch. */
export const freshStartSchema = z.object({
  id: z.string(),
  started_by: z.string(),
  created_at: z.string(),
  left: z.array(z.object({ branch: z.string(), head_sha: z.string() })),
});
export type FreshStart = z.infer<typeof freshStartSchema>;

export const startOverInput = z.object({ kind: z.enum(["story", "sprint"]), id: idSchema });
export const startOverSchema = z.object({ left: z.array(beginningSchema) });
