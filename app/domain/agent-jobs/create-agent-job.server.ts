import { type AgentJob, agentJobSchema, type CreateAgentJobInput } from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** Always refused: single jobs gave way to sprint runs (specification: Starting a sprint run 3). */
export function createAgentJob(actor: Actor, input: CreateAgentJobInput): Promise<AgentJob> {
  return callAs(actor, "create_agent_job", { p_task_id: input.task_id }, agentJobSchema);
}
