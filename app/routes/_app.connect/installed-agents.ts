import { knownAgents } from "~/nouns/workers/known-agents";
import type { AgentWorkerList } from "~/nouns/workers/worker-presence";

/** Returns a sentence per known agent found by the user's workers, from the most recently seen worker. */
export function installedAgents(
  { workers }: AgentWorkerList,
  userId: string,
): Record<string, string> {
  const sentences: Record<string, string> = {};
  for (const { user_id, name: worker, hostname, agents } of workers) {
    if (user_id !== userId) continue;
    for (const agent of agents ?? []) {
      const [name = "", ...rest] = agent.split(" ");
      const known = Object.values(knownAgents).find((one) => one.name === name);
      if (!known || name in sentences) continue;
      const place = hostname ?? "its machine";
      sentences[name] = `Your worker ${worker} on ${place} found ${known.title} ${rest.join(" ")}.`;
    }
  }
  return sentences;
}
