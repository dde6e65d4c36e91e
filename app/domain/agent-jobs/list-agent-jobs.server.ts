import {
  type AgentJobPage,
  agentJobPageSchema,
  type ListAgentJobsInput,
} from "~/contract/agent-job";
import { type Actor, callAs } from "~/db/rpc.server";

/** Jobs in reach, newest first (specification: Agent job). */
export function listAgentJobs(actor: Actor, input: ListAgentJobsInput): Promise<AgentJobPage> {
  return callAs(
    actor,
    "list_agent_jobs",
    {
      p_product_id: input.product_id,
      p_sprint_run_id: input.sprint_run_id,
      p_state: input.state,
      p_limit: input.limit,
      p_cursor: input.cursor,
    },
    agentJobPageSchema,
  );
}
