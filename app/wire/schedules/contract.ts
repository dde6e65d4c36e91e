import { z } from "zod";

/** Answer of POST /api/cron/expire-questions (specification: Scheduled endpoints). */
export const expiredQuestionsSchema = z.object({
  expired_questions: z.int(),
  expired_pairings: z.int(),
  ran_at: z.string(),
});

/** Answer of POST /api/cron/cleanup-agent-artifacts (specification: Scheduled endpoints). */
export const cleanedArtifactsSchema = z.object({ deleted: z.int(), ran_at: z.string() });
/** Answer of one batch; `more` if artifacts are left. */
export const cleanedPortionSchema = cleanedArtifactsSchema.extend({ more: z.boolean() });
export type CleanedArtifacts = z.infer<typeof cleanedArtifactsSchema>;

/** Result of one sweep; `removed` is null if it only checked leases and waiting questions. Due recurrences are started by its caller. */
export const sweptSchema = z.object({
  taken_back: z.int(),
  expired_questions: z.int(),
  removed: z.record(z.string(), z.int()).nullable(),
  due_recurrences: z.int(),
  ran_at: z.string(),
});
