import type { ClaimedConflict } from "~/contract/job-conflict";
import type { JobPayload } from "~/contract/worker";

export type Execution = NonNullable<JobPayload["executions"]>[number];

/** What the worker knows beside the job: where the work happens and how it is looked at. */
export interface Surroundings {
  /** The branch that is checked out; null where nothing of the work is kept. */
  checkout: string | null;
  testCommand: string | undefined;
  /** Branches with what earlier attempts have left. */
  kept: readonly string[];
  /** Those whose work was put back into the folder. */
  putBack?: readonly string[];
}

/** A merge that was begun in the worktree, for the agent to bring to its end. */
export interface Mending {
  conflict: ClaimedConflict;
  /** The other side as it is by now. */
  theirs: string;
  /** The files that hold both versions. */
  files: string[];
  /** What the attempt's own changes are counted from. */
  base: string;
}

/** One piece of work for the command: a whole job, or one task of a batch. */
export interface Assignment extends Surroundings {
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
  /** What has to hold for the story. */
  criteria: JobPayload["criteria"];
  /** What another worker found when it looked at earlier work. */
  findings: JobPayload["findings"];
  /** A merge that was begun for the agent to end; null where there is none. */
  mending: Mending | null;
  verifyOnly: boolean;
  requiresOpus: boolean;
  /** This turn writes the plan, and nothing else. */
  planning?: true;
  /** The turn before this one has written the plan. */
  planned?: true;
}

export function taskAssignment(job: JobPayload, surroundings: Surroundings): Assignment {
  return {
    ...surroundings,
    job,
    taskId: job.task?.id ?? null,
    taskCode: job.task?.code ?? null,
    storyCode: job.story?.code ?? null,
    storyTitle: job.story?.title ?? "",
    storyDescription: job.story?.description ?? "",
    title: job.task?.title ?? job.kind,
    description: job.task?.description ?? "",
    plan: job.plan,
    acceptanceCriteria: job.story?.acceptance_criteria ?? "",
    previousFailure: job.previous_failure,
    criteria: job.criteria,
    findings: job.findings,
    mending: null,
    verifyOnly: job.task?.verify_only ?? false,
    requiresOpus: job.task?.requires_opus ?? false,
  };
}

export function executionAssignment(
  job: JobPayload,
  execution: Execution,
  surroundings: Surroundings,
): Assignment {
  return {
    ...surroundings,
    job,
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
    findings: job.findings,
    mending: null,
    verifyOnly: execution.verify_only,
    requiresOpus: execution.requires_opus,
  };
}

export function ideaAssignment(job: JobPayload): Assignment {
  return {
    job,
    checkout: null,
    testCommand: undefined,
    kept: [],
    taskId: null,
    taskCode: null,
    storyCode: null,
    storyTitle: "",
    storyDescription: "",
    title: job.idea?.title ?? "Question about an idea",
    description: job.idea?.description ?? "",
    plan: null,
    acceptanceCriteria: "",
    previousFailure: job.previous_failure,
    criteria: [],
    findings: [],
    mending: null,
    verifyOnly: false,
    requiresOpus: false,
  };
}
