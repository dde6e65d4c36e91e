import type { AcpAgent } from "./acp-agent";
import type { AgentTurn, TurnEnd, TurnOutput } from "./driver";

/** Runs one ACP turn. Imports the ACP code only when it is needed. */
export async function runAcpTurn(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
): Promise<TurnEnd> {
  const { converseOverAcp } = await import("./acp-session");
  return converseOverAcp(agent, turn, output);
}
