import type { ClaimedConflict } from "~/wire/agent-jobs/job-conflict";
import type { Effort } from "~/wire/who";
import type { JobPayload } from "~/wire/workers/contract";
import { anyAgent, isBuiltIn } from "../../agents/catalog";
import type { AgentOptions, WorkerOptions } from "../../base/options";
import type { Rules } from "../../git/rules";
import type { Attempt, Workspace } from "../attempt";

export type Execution = NonNullable<JobPayload["executions"]>[number];

/** What the worker knows besides the job: where the work happens and how it is tested. */
interface JobContext extends Pick<Workspace, "testCommand" | "kept" | "references"> {
  checkout: string | null;
}

export interface Resolution {
  conflict: ClaimedConflict;
  /** The other side's current commit. */
  theirs: string;
  files: string[];
  /** Commit that the attempt's own changes are diffed against. */
  base: string;
}

/** One piece of work: a whole job, or one task of a batch. */
export interface Assignment extends JobContext {
  job: JobPayload;
  taskId: string | null;
  taskCode: string | null;
  storyCode: string | null;
  storyTitle: string;
  storyDescription: string;
  title: string;
  description: string;
  plan: string | null;
  acceptanceCriteria: string;
  previousFailure: string | null;
  criteria: JobPayload["criteria"];
  findings: JobPayload["findings"];
  /** Branches whose work was put back into the folder. */
  restored?: readonly string[];
  /** A started merge for the agent to resolve, or null. */
  resolution: Resolution | null;
  verifyOnly: boolean;
  requiresOpus: boolean;
  model: string | null;
  effort: Effort | null;
  planning?: true;
  planned?: true;
}

function wholeJob(job: JobPayload, { checkout, testCommand, kept, references = [] }: JobContext) {
  const { previous_failure: previousFailure, criteria, findings, plan } = job;
  return {
    checkout,
    testCommand,
    kept,
    references,
    job,
    previousFailure,
    criteria,
    findings,
    plan,
    resolution: null,
    model: job.model ?? null,
    effort: job.effort ?? null,
  };
}

export function taskAssignment(job: JobPayload, context: JobContext): Assignment {
  const { task, story } = job;
  return {
    ...wholeJob(job, context),
    taskId: task?.id ?? null,
    taskCode: task?.code ?? null,
    storyCode: story?.code ?? null,
    storyTitle: story?.title ?? "",
    storyDescription: story?.description ?? "",
    title: task?.title ?? job.kind,
    description: task?.description ?? "",
    acceptanceCriteria: story?.acceptance_criteria ?? "",
    verifyOnly: task?.verify_only ?? false,
    requiresOpus: task?.requires_opus ?? false,
  };
}

export function executionAssignment(job: JobPayload, execution: Execution, context: JobContext): Assignment {
  return {
    ...wholeJob(job, context),
    taskId: execution.task_id,
    taskCode: execution.task_code,
    storyCode: execution.story_code,
    storyTitle: execution.story_title,
    storyDescription: execution.story_description,
    title: execution.title,
    description: execution.description,
    plan: execution.plan,
    acceptanceCriteria: execution.acceptance_criteria,
    previousFailure: execution.previous_failure,
    criteria: job.criteria.filter(({ story_id }) => story_id === execution.story_id),
    verifyOnly: execution.verify_only,
    requiresOpus: execution.requires_opus,
    model: execution.model ?? null,
    effort: execution.effort ?? null,
  };
}

/** Nothing in a conversation about an idea is kept or tested. */
export function ideaAssignment(job: JobPayload): Assignment {
  const { title = "Question about an idea", description = "" } = job.idea ?? {};
  const nowhere = { checkout: null, testCommand: undefined, kept: [] };
  const requested = { ...job, task: null, story: null, plan: null, criteria: [], findings: [] };
  return { ...taskAssignment(requested, nowhere), job, title, description };
}

type OfJob = Pick<JobPayload, "agent" | "attempt_agent">;

/** The one the job names, or the worker's choice. Only what was typed after `--agent` is ever started. */
export function assignedAgent(job: OfJob, { agents }: AgentOptions): string {
  const [first] = agents;
  const named = job.agent ?? (agents.length > 1 ? job.attempt_agent : null) ?? first;
  if (agents.includes(named)) return named;
  if (first === anyAgent && isBuiltIn(named)) return named;
  throw new Error(`The job is for the agent ${named}, which this worker was not started with`);
}

/** The choice of `.backloom.yml`: the service noted the first one. Undefined where job or person names one. */
export function chosenAgent(
  { job, options: { work } }: Pick<Attempt, "job" | "options">,
  rules: Rules,
): string | undefined {
  const isOpen = "agents" in work && assignedAgent(job, work) === anyAgent;
  return isOpen ? rules.agent : undefined;
}

/** The agent's name, or the command that does the work. */
export function assignedCommand(job: OfJob, { work }: Pick<WorkerOptions, "work">): string {
  return "agents" in work ? assignedAgent(job, work) : work.exec;
}
