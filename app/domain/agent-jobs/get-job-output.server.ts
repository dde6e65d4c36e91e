import { type JobOutput, type JobOutputInput, jobOutputSchema } from "~/contract/job-output";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Entries of an attempt after a seq, oldest first. */
export function getJobOutput(actor: Actor, input: JobOutputInput): Promise<JobOutput> {
  return callAs(actor, "get_job_output", argumentsOf(input), jobOutputSchema);
}

/** The same, as the JSON text that the database made. */
export function getJobOutputJson(actor: Actor, input: JobOutputInput): Promise<string> {
  return callAsRaw(actor, "get_job_output", argumentsOf(input));
}

function argumentsOf({ job_id, attempt, after, limit }: JobOutputInput) {
  return { p_job_id: job_id, p_attempt: attempt, p_after: after, p_limit: limit };
}
