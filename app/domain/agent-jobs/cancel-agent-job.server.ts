import { type AgentJob, agentJobSchema, type JobIdInput } from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** Cancels a single queued job (specification: Starting a sprint run 4). */
export function cancelAgentJob(actor: Actor, input: JobIdInput): Promise<AgentJob> {
  return callAs(actor, "cancel_agent_job", { p_job_id: input.job_id }, agentJobSchema);
}
