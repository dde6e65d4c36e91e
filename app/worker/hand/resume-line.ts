import { type KnownAgent, knownAgents } from "~/nouns/workers/known-agents";

/**
 * The line that opens an agent's conversation in a terminal; null where there is none. The id comes from the agent and
 * ends up in a shell, so nothing but plain characters passes.
 */
export function resumeLine(agent: string | null, sessionId: string | null): string | null {
  if (agent === null || sessionId === null || !/^\w[\w.-]*$/.test(sessionId)) return null;
  const known = Object.values<KnownAgent>(knownAgents).find(({ name }) => name === agent);
  return known?.opensConversation ? `${known.opensConversation} ${sessionId}` : null;
}
