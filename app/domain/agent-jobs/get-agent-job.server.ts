import { type AgentJobDetail, agentJobDetailSchema, type JobIdInput } from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** One job with its attempts and the questions that it asked (specification: Agent job). */
export function getAgentJob(actor: Actor, input: JobIdInput): Promise<AgentJobDetail> {
  return callAs(actor, "get_agent_job", { p_job_id: input.job_id }, agentJobDetailSchema);
}
