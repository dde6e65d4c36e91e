import type { AcpAgent } from "./acp-agent";
import type { AgentTurn, TurnEnd, TurnOutput } from "./driver";

/** One turn over the Agent Client Protocol. What speaks it is loaded by those whose agent does. */
export async function runAcpTurn(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
): Promise<TurnEnd> {
  const { converseOverAcp } = await import("./acp-session");
  return converseOverAcp(agent, turn, output);
}
