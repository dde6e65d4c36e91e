import {
  type HeartbeatAgentJobInput,
  type HeartbeatAnswer,
  heartbeatAnswerSchema,
} from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** Renews the lease of a held job: continue, pause or stop (specification: Agent job, lease_until). */
export function heartbeatAgentJob(
  actor: Actor,
  input: HeartbeatAgentJobInput,
): Promise<HeartbeatAnswer> {
  return callAs(
    actor,
    "heartbeat_agent_job",
    {
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_quota_pct: input.quota_pct,
      p_usage: input.usage,
    },
    heartbeatAnswerSchema,
  );
}
