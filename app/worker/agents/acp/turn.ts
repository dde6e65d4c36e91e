import type { AgentTurn, TurnEnd, TurnOutput } from "../driver";
import type { AcpAgent } from "./agent";

/** Runs one ACP turn. Imports the ACP code only when it is needed. */
export async function runAcpTurn(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
): Promise<TurnEnd> {
  const { converseOverAcp } = await import("./session");
  return converseOverAcp(agent, turn, output);
}
