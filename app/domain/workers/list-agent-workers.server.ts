import {
  type AgentWorkerList,
  agentWorkerListSchema,
  type ListAgentWorkersInput,
} from "~/contract/worker-presence";
import { type Actor, callAs } from "~/db/rpc.server";

/** Workers that reach the products in reach (specification: Agent worker). */
export function listAgentWorkers(
  actor: Actor,
  input: ListAgentWorkersInput,
): Promise<AgentWorkerList> {
  return callAs(
    actor,
    "list_agent_workers",
    { p_product_id: input.product_id },
    agentWorkerListSchema,
  );
}
