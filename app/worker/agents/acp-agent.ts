import type { Answer } from "./acp-messages";
import type { Coverage } from "./acp-permission";
import type { AgentTurn, Usage } from "./driver";

/** What differs between the agents that speak the protocol. */
export interface AcpAgent {
  /** What people call it. */
  title: string;
  program: string;
  words: readonly string[];
  coverage: Coverage;
  /** The agent's own name for what is allowed; left out, the agent asks and we answer. */
  modeFor?: (turn: AgentTurn) => string | undefined;
  environment?: (turn: AgentTurn) => Record<string, string>;
  usageOf(answer: Answer, session: { model: string | null }): Usage[];
  /** True where each process counts its cost from nothing, also in a session that it takes up again. */
  countsAnew?: boolean;
  /** How to sign in, for the person at this machine. */
  signIn: string;
}
