import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { type CleanedArtifacts, cleanedPortionSchema } from "./contract";

/**
 * Deletes failed and cancelled jobs after seven days (specification: Scheduled endpoints). Works in batches, one
 * transaction each, so that many old jobs neither cause a timeout nor lock their products for long.
 */
export async function cleanupAgentArtifacts(database: Database): Promise<CleanedArtifacts> {
  for (let deleted = 0; ; ) {
    const portion = await callService(
      database,
      "cleanup_agent_artifacts",
      {},
      cleanedPortionSchema,
    );
    deleted += portion.deleted;
    if (!portion.more) return { deleted, ran_at: portion.ran_at };
  }
}
