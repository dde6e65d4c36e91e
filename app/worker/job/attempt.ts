import { join } from "node:path";
import { agentJobSchema, type UsageSoFar } from "~/nouns/agent-jobs/contract";
import { agentQuestionSchema } from "~/nouns/questions/contract";
import type { JobPayload } from "~/nouns/workers/contract";
import type { Journal } from "../base/journal";
import type { WorkerOptions } from "../base/options";
import { Refusal } from "../base/problems";
import { sendable } from "../base/sendable";
import type { WorkFolder } from "../base/work-folder";
import type { Changes } from "../git/changes";
import type { Rules } from "../git/rules";
import type { JobSandbox } from "../sandbox/sandbox";
import type { Heartbeat } from "../service/heartbeat";
import type { AttemptOutput } from "../service/output-sender";
import type { CallOptions, Service } from "../service/service";
import type { Messages } from "./turn/messages";
import type { CommandResult, Usage } from "./turn/result-file";

/** What a worker has for all of its jobs. */
export interface WorkerTools {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  /** Command line of the built-in demo. */
  demoCommand: string;
  /** Removes secrets from a text. */
  clean: (text: string) => string;
}

/** Everything one attempt at a job works with. */
export interface Attempt extends WorkerTools {
  job: JobPayload;
  heartbeat: Heartbeat;
  /** Usage of the attempt's commands so far. Reported however the attempt ends. */
  used: Usage;
  /** The last ledger entry of the job, and the usage since; sent with heartbeats. */
  soFar: { after_seq: number; models: UsageSoFar["models"] };
  /** Id by which the agent's conversation can be resumed. */
  sessionId: string | null;
  /** The repository's rules (`.backloom.yml`). */
  rules: Rules;
  /** Saves undelivered work on a kept branch. Returns the branch, or null if there is nothing. */
  keep(): Promise<string | null>;
  /** The worktree, if its work could not be kept: then it stays. */
  leftIn: string | null;
  /** Live output shown to people. */
  output: AttemptOutput;
  /** Live changes shown to people. */
  changes: Changes;
  /** Everything a model or a repository chose runs in here. */
  sandbox: JobSandbox;
  /** People's messages to the agent. */
  messages: Messages;
  /** A person did the work, and reads what is missing; the service does not. */
  isByHand?: true;
}

/** The agent's conversation, as reports name it. */
export function sessionOf({ sessionId }: Pick<Attempt, "sessionId">): { session_id?: string } {
  return sessionId === null ? {} : { session_id: sendable(sessionId, 300) };
}

/** A failure as reported to the service. */
export interface Failure {
  failure_class: string;
  failure_reason: string;
  resets_at?: string | undefined;
}

/** Keeps the work before it is undone in the worktree. */
export async function keepBeforeReset(attempt: Attempt): Promise<string | null> {
  const kept = await attempt.keep();
  if (attempt.leftIn !== null) throw new Error("The work could not be kept");
  return kept;
}

/** Asks a person and gives the job back. Once answered, the job is first in the queue. */
export async function park(
  attempt: Attempt,
  { taskId }: { taskId: string | null },
  { question }: CommandResult,
): Promise<void> {
  if (question === undefined) return;
  const { job, service, journal } = attempt;
  await reportUsage(attempt);
  await attempt.changes.send();
  await attempt.output.flush();
  const about = job.idea === null ? { task_id: taskId } : { idea_id: job.idea.id };
  const given = { ...question, ...about, park: true, job_id: job.id, attempt: job.attempt };
  await ofTask(attempt, service.call("ask_user_question", given, agentQuestionSchema));
  attempt.options.demoAsk = false;
  journal.say(`Asked: ${question.question} The job waits for the answer`);
}

/** Reports usage before an end of the attempt that cannot carry it. */
export async function reportUsage(
  { service, job, used }: Pick<Attempt, "service" | "job" | "used">,
  options?: CallOptions,
): Promise<void> {
  if (Object.keys(used).length === 0) return;
  const given = { job_id: job.id, attempt: job.attempt, ...used };
  await service.call("report_job_usage", given, agentJobSchema, options);
}

/** A task was deleted, or finished by hand, while its batch runs. */
export class TaskGone extends Error {}

/**
 * Awaits a call about one task of a batch. If it is refused although the attempt still holds the job, the task itself
 * is gone (TaskGone). Blocked tasks are not.
 */
export async function ofTask<T>({ heartbeat }: Attempt, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Refusal) || (error.code !== 404 && error.code !== 409)) throw error;
    if (error.blockedBy.length > 0) throw error;
    await heartbeat.confirm();
    throw new TaskGone(error.message);
  }
}

/** Path of the raw output of an attempt's commands. */
export function logFileOf({ folder, job }: Pick<Attempt, "folder" | "job">): string {
  return join(folder.logs, `${job.id}-${job.attempt}.log`);
}
