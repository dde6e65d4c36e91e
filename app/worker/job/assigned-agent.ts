import type { JobPayload } from "~/nouns/workers/contract";
import { anyAgent, isBuiltIn } from "../agents/catalog";
import type { AgentWish, WorkerOptions } from "../base/options";

type OfJob = Pick<JobPayload, "agent" | "attempt_agent">;

/**
 * The agent that does a job: the one it names, which was announced, otherwise the worker's own choice. Only what was
 * typed after `--agent` is ever started.
 */
export function assignedAgent(job: OfJob, { agents }: AgentWish): string {
  const [first] = agents;
  const named = job.agent ?? (agents.length > 1 ? job.attempt_agent : null) ?? first;
  if (agents.includes(named)) return named;
  if (first === anyAgent && isBuiltIn(named)) return named;
  throw new Error(`The job is for the agent ${named}, which this worker was not started with`);
}

/** The agent's name, or the command that does the work. */
export function assignedCommand(job: OfJob, { work }: Pick<WorkerOptions, "work">): string {
  return "agents" in work ? assignedAgent(job, work) : work.exec;
}
