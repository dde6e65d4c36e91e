import type { JobPayload } from "~/nouns/workers/contract";
import { anyAgent, isBuiltIn } from "../../agents/catalog";
import type { AgentWish, WorkerOptions } from "../../base/options";
import type { Attempt } from "../attempt";

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

/**
 * The agent that `.backloom.yml` chose, as the service does not know it: it has noted the first one here. Undefined
 * where the job or the person names one.
 */
export function chosenAgent({
  job,
  options: { work },
  rules,
}: Pick<Attempt, "job" | "options" | "rules">): string | undefined {
  const isOpen = "agents" in work && assignedAgent(job, work) === anyAgent;
  return isOpen ? rules.agent : undefined;
}

/** The agent's name, or the command that does the work. */
export function assignedCommand(job: OfJob, { work }: Pick<WorkerOptions, "work">): string {
  return "agents" in work ? assignedAgent(job, work) : work.exec;
}
