import type { AppendJobOutputInput } from "~/contract/job-output";
import { type Actor, callAsRaw } from "~/db/rpc.server";

/** Adds entries to what an attempt says; answers `{ last_seq }` as the JSON text that the database made. */
export function appendJobOutputJson(actor: Actor, input: AppendJobOutputInput): Promise<string> {
  return callAsRaw(actor, "append_job_output", {
    p_job_id: input.job_id,
    p_attempt: input.attempt,
    p_entries: input.entries,
  });
}
