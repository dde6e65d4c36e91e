import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { noInput, serviceOperation } from "~/nouns/operation.server";

/** Answer of POST /api/cron/expire-questions (specification: Scheduled endpoints). */
export const expiredQuestionsSchema = z.object({
  expired_questions: z.int(),
  expired_pairings: z.int(),
  ran_at: z.string(),
});

/** Answer of POST /api/cron/cleanup-agent-artifacts (specification: Scheduled endpoints). */
export const cleanedArtifactsSchema = z.object({ deleted: z.int(), ran_at: z.string() });
/** Answer of one batch; `more` if artifacts are left. */
const cleanedPortionSchema = cleanedArtifactsSchema.extend({ more: z.boolean() });
type CleanedArtifacts = z.infer<typeof cleanedArtifactsSchema>;

/** Result of one sweep; `removed` is null if it only checked leases and waiting questions. Due recurrences are started by its caller. */
const sweptSchema = z.object({
  taken_back: z.int(),
  expired_questions: z.int(),
  removed: z.record(z.string(), z.int()).nullable(),
  due_recurrences: z.int(),
  ran_at: z.string(),
});

/** Expires overdue open questions and cancels overdue pending pairings (specification: Scheduled endpoints). */
export const expireQuestions = serviceOperation("expire_questions", noInput, expiredQuestionsSchema);

/** Handles expired leases, questions that work waits for, and stale rows; safe in any number of processes. */
export const sweep = serviceOperation("sweep", z.object({ full: z.boolean() }).partial(), sweptSchema);

/** After seven days (specification: Scheduled endpoints), in batches: no timeout, and no product is locked for long. */
export async function cleanupAgentArtifacts(database: Database): Promise<CleanedArtifacts> {
  for (let deleted = 0; ; ) {
    const portion = await callService(database, "cleanup_agent_artifacts", {}, cleanedPortionSchema);
    deleted += portion.deleted;
    if (!portion.more) return { deleted, ran_at: portion.ran_at };
  }
}
