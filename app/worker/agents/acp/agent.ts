import type { AgentTurn, TurnEnd, TurnOutput, Usage } from "../driver";
import type { Answer } from "./messages";
import type { Coverage } from "./permission";

/** What differs between agents that speak the Agent Client Protocol (ACP). */
export interface AcpAgent {
  /** Display name. */
  title: string;
  program: string;
  words: readonly string[];
  coverage: Coverage;
  /** The agent's own mode for an allowance. Without it, the agent asks and the worker answers. */
  modeFor?: (turn: AgentTurn) => string | undefined;
  environment?: (turn: AgentTurn) => Record<string, string>;
  usageOf(answer: Answer, session: { model: string | null }): Usage[];
  /** True if each process counts its cost from zero, even in a resumed session. */
  countsAnew?: boolean;
  /** How the user signs in. */
  signIn: string;
}

/** Runs one ACP turn. Imports the ACP code only when it is needed. */
export async function runAcpTurn(
  agent: AcpAgent,
  turn: AgentTurn,
  output: TurnOutput,
): Promise<TurnEnd> {
  const { converseOverAcp } = await import("./session");
  return converseOverAcp(agent, turn, output);
}
