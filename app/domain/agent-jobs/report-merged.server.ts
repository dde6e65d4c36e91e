import { type MergedJob, mergedJobSchema, type ReportMergedInput } from "~/contract/merged-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** The work of a job is on the main branch: a worker saw it there, or the owner says so. */
export function reportMerged(
  actor: Actor,
  { job_id, head_sha }: ReportMergedInput,
): Promise<MergedJob> {
  const given = { p_job_id: job_id, p_head_sha: head_sha };
  return callAs(actor, "report_merged", given, mergedJobSchema);
}
