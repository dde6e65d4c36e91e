import { type Claim, type ClaimAgentJobInput, claimSchema } from "~/contract/worker";
import { type Actor, callAs } from "~/db/rpc.server";

/** Claims the oldest claimable job in reach, or says why there is none (specification: Agent job). */
export function claimAgentJob(actor: Actor, input: ClaimAgentJobInput): Promise<Claim> {
  return callAs(
    actor,
    "claim_agent_job",
    {
      p_worker: input.worker,
      p_product_id: input.product_id,
      p_sprint_run_id: input.sprint_run_id,
      p_kinds: input.kinds,
      p_hostname: input.hostname,
      p_version: input.version,
      p_quota_pct: input.quota_pct,
    },
    claimSchema,
  );
}
