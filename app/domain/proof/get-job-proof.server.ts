import type { JobIdInput } from "~/contract/agent-job";
import { type JobProof, jobProofSchema } from "~/contract/proof";
import { type Actor, callAs } from "~/db/rpc.server";

/** What proves the stories of a job (docs/proof.md). */
export function getJobProof(actor: Actor, { job_id }: JobIdInput): Promise<JobProof> {
  return callAs(actor, "get_job_proof", { p_job_id: job_id }, jobProofSchema);
}
