import { type AgentContext, agentContextSchema, type ProductIdInput } from "~/contract/product";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** The bundle with which an agent begins (specification: GET /api/products/:id/agent-context). */
export function getAgentContext(actor: Actor, input: ProductIdInput): Promise<AgentContext> {
  return callAs(actor, "get_agent_context", getAgentContextArguments(input), agentContextSchema);
}

/** The same, as the JSON text that the database made. */
export function getAgentContextJson(actor: Actor, input: ProductIdInput): Promise<string> {
  return callAsRaw(actor, "get_agent_context", getAgentContextArguments(input));
}

function getAgentContextArguments(input: ProductIdInput) {
  return { p_product_id: input.product_id };
}
