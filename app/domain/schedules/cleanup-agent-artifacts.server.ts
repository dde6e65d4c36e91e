import { type CleanedArtifacts, cleanedArtifactsSchema } from "~/contract/schedule";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Deletes failed and cancelled jobs after seven days (specification: Scheduled endpoints). */
export function cleanupAgentArtifacts(database: Database): Promise<CleanedArtifacts> {
  return callService(database, "cleanup_agent_artifacts", {}, cleanedArtifactsSchema);
}
