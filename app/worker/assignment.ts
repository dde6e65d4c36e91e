import type { JobPayload } from "~/contract/worker";

export type Execution = NonNullable<JobPayload["executions"]>[number];

/** One piece of work for the command: a whole job, or one task of a batch. */
export interface Assignment {
  job: JobPayload;
  taskId: string | null;
  taskCode: string | null;
  storyCode: string | null;
  title: string;
  description: string;
  plan: string | null;
  acceptanceCriteria: string;
}

export function taskAssignment(job: JobPayload): Assignment {
  return {
    job,
    taskId: job.task?.id ?? null,
    taskCode: job.task?.code ?? null,
    storyCode: job.story?.code ?? null,
    title: job.task?.title ?? job.kind,
    description: job.task?.description ?? "",
    plan: job.plan,
    acceptanceCriteria: job.story?.acceptance_criteria ?? "",
  };
}

export function executionAssignment(job: JobPayload, execution: Execution): Assignment {
  return {
    job,
    taskId: execution.task_id,
    taskCode: execution.task_code,
    storyCode: execution.story_code,
    title: execution.title,
    description: execution.description,
    plan: execution.plan,
    acceptanceCriteria: execution.acceptance_criteria,
  };
}

export function ideaAssignment(job: JobPayload): Assignment {
  return {
    job,
    taskId: null,
    taskCode: null,
    storyCode: null,
    title: job.idea?.title ?? "Question about an idea",
    description: job.idea?.description ?? "",
    plan: null,
    acceptanceCriteria: "",
  };
}
