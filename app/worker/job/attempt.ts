import { agentJobSchema, type UsageSoFar } from "~/contract/agent-job";
import { agentQuestionSchema } from "~/contract/question";
import type { JobPayload } from "~/contract/worker";
import type { Changes } from "../git/changes";
import type { Rules } from "../git/rules";
import type { WorkFolder } from "../git/work-folder";
import type { WorkerOptions } from "../options";
import type { JobSandbox } from "../sandbox/sandbox";
import type { Heartbeat } from "../service/heartbeat";
import type { Journal } from "../service/journal";
import type { AttemptOutput } from "../service/output-sender";
import { Refusal } from "../service/problems";
import type { CallOptions, Service } from "../service/service";
import type { Messages } from "./messages";
import type { CommandResult, Usage } from "./result-file";
import type { CommandEnd } from "./run-command";

/** Everything that one attempt at a job works with. */
export interface Attempt {
  job: JobPayload;
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  heartbeat: Heartbeat;
  /** Command line of the built-in demo. */
  demoCommand: string;
  /** What the commands of this attempt have used so far; it is told whatever the end of the attempt is. */
  used: Usage;
  /** The last line that went into the ledger of the job, and what was used since: heartbeats carry it. */
  soFar: { after_seq: number; models: UsageSoFar["models"] };
  /** The conversation of the agent, by the name under which it can be taken up again. */
  sessionId: string | null;
  /** What the repository says about work in it. */
  rules: Rules;
  /** Keeps what the attempt has made and not delivered; answers the branch, or null when there is nothing. */
  keep(): Promise<string | null>;
  /** Takes out of a text what must not leave this machine. */
  clean: (text: string) => string;
  /** What people see of the attempt while it goes on. */
  output: AttemptOutput;
  /** What people see of its work. */
  changes: Changes;
  /** Where everything runs that a model or a repository chose. */
  sandbox: JobSandbox;
  /** What people write to the agent. */
  messages: Messages;
}

/** How the command ended and what it told. */
export interface Outcome {
  end: CommandEnd;
  result: CommandResult;
  /** What an agent wanted to do and was not allowed to. */
  denied: string[];
}

/** Work that did not succeed, as the service is told. */
export interface Failure {
  failure_class: string;
  failure_reason: string;
  resets_at?: string | undefined;
}

/** Asks a person and gives the job back; it comes first once the question is answered. */
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

/** Hands in what was used, before an end that has no place for it. */
export async function reportUsage(
  { service, job, used }: Attempt,
  options?: CallOptions,
): Promise<void> {
  if (Object.keys(used).length === 0) return;
  const given = { job_id: job.id, attempt: job.attempt, ...used };
  await service.call("report_job_usage", given, agentJobSchema, options);
}

/** A task was deleted, or finished by hand, while its batch goes on. */
export class TaskGone extends Error {}

/**
 * Waits for what the service says of one task of a batch. When it refuses although the attempt still holds the job, the task
 * is the reason. One that waits for others is still there.
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
