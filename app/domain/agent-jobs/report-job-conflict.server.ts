import {
  type ConflictDecision,
  conflictDecisionSchema,
  type ReportJobConflictInput,
} from "~/contract/job-conflict";
import { type Actor, callAs } from "~/db/rpc.server";

/** An attempt says that its work does not merge; the answer says who mends it. */
export function reportJobConflict(
  actor: Actor,
  { job_id, attempt, ...conflict }: ReportJobConflictInput,
): Promise<ConflictDecision> {
  const given = { p_job_id: job_id, p_attempt: attempt, p_conflict: conflict };
  return callAs(actor, "report_job_conflict", given, conflictDecisionSchema);
}
