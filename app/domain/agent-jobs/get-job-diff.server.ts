import { type JobDiff, type JobDiffInput, jobDiffSchema } from "~/contract/job-diff";
import { type Actor, callAs } from "~/db/rpc.server";

/** What an attempt has changed, or null when none has sent it. */
export function getJobDiff(
  actor: Actor,
  { job_id, attempt }: JobDiffInput,
): Promise<JobDiff | null> {
  const given = { p_job_id: job_id, p_attempt: attempt };
  return callAs(actor, "get_job_diff", given, jobDiffSchema.nullable());
}
