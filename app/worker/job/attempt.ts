import { join } from "node:path";
import { agentJobSchema, type UsageSoFar } from "~/contract/agent-job";
import { agentQuestionSchema } from "~/contract/question";
import type { JobPayload } from "~/contract/worker";
import type { Changes } from "../git/changes";
import type { Rules } from "../git/rules";
import type { WorkFolder } from "../git/work-folder";
import type { WorkerOptions } from "../options";
import type { JobSandbox } from "../sandbox/sandbox";
import { type ContextFiles, environmentOf, writeContextFiles } from "../service/context-files";
import type { Heartbeat } from "../service/heartbeat";
import type { Journal } from "../service/journal";
import type { AttemptOutput } from "../service/output-sender";
import { Refusal, WorkerProblem } from "../service/problems";
import { sendable } from "../service/sendable";
import type { CallOptions, Service } from "../service/service";
import { runAgentTurn } from "./agent-turn";
import type { Assignment } from "./assignment";
import type { Evidence } from "./evidence";
import { runExecTurn } from "./exec-turn";
import { type Messages, promptWith } from "./messages";
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

/** Lets the agent or the command do one assignment in a folder. */
export async function execute(
  attempt: Attempt,
  assignment: Assignment,
  folder: string,
  extra: Record<string, string>,
): Promise<Outcome> {
  const { job, options, heartbeat } = attempt;
  const notes = join(attempt.folder.worktrees, `${job.id}-${job.attempt}.files`);
  const files = await writeContextFiles(folder, notes, assignment);
  const demo: Record<string, string> = options.demoAsk ? { BACKLOOM_DEMO_ASK: "1" } : {};
  const environment = {
    ...attempt.rules.env,
    ...environmentOf(assignment, files, { ...extra, ...demo }),
  };
  const place = { folder, environment };
  const { work } = options;
  if (!("agent" in work)) {
    const outcome = await runExecTurn(attempt, work, files, place);
    heartbeat.signal.throwIfAborted();
    return outcome;
  }
  const turn = async (own: ContextFiles, isAlive: () => void) => {
    const outcome = await runAgentTurn(attempt, work, assignment, own, { ...place, isAlive });
    heartbeat.signal.throwIfAborted();
    return outcome;
  };
  let outcome = await turn(files, await promptWith(attempt.messages, files));
  // What came too late for a turn is the next one, in the same conversation.
  while (attempt.messages.hasWaiting() && isWorking(outcome)) {
    outcome = await turn(files, await promptWith(attempt.messages, files, "alone"));
  }
  return outcome;
}

/** The agent has come to its end by itself, and may be asked for more. */
function isWorking(outcome: Outcome): boolean {
  return failureOf(outcome) === undefined && outcome.result.question === undefined;
}

/** An agent that was kept from its work has done none: that is no work that was there already. */
export function deniedFailure(
  { denied }: Outcome,
  { verifyResult }: Pick<Evidence, "verifyResult">,
  verifyOnly: boolean | undefined,
): Failure | undefined {
  if (verifyResult !== "EMPTY" || denied.length === 0 || verifyOnly) return undefined;
  const what = [...new Set(denied)].join(", ");
  const failure_reason = sendable(
    `The agent changed nothing, because it was not allowed to use its tools: ${what}. Start the worker with a wider --allow.`,
    4_000,
  );
  return { failure_class: "agent_error", failure_reason };
}

/** The failure that an outcome tells of, if it does. */
export function failureOf({ end, result }: Outcome): Failure | undefined {
  if (result.failure_class !== undefined) {
    return {
      failure_class: result.failure_class,
      failure_reason: result.failure_reason ?? result.summary ?? "The command gave no reason",
      resets_at: result.resets_at,
    };
  }
  if (end.exitCode === 0) return undefined;
  if (end.exitCode === 126 || end.exitCode === 127) {
    const advice = /argument list too long/i.test(end.output)
      ? ' Hand the prompt over on standard input: … < "$BACKLOOM_PROMPT_FILE".'
      : "";
    throw new WorkerProblem(
      `The command cannot be run on this machine, and the job goes back: ${end.output.slice(-500)}${advice}`,
    );
  }
  const how = end.timedOut ? "was stopped after its time" : `ended with ${end.exitCode}`;
  const failure_reason = `The command ${how}.\n${end.output}`.trim().slice(-4_000);
  return { failure_class: "agent_error", failure_reason };
}

/** Asks a person and gives the job back; it comes first once the question is answered. */
export async function park(
  attempt: Attempt,
  { taskId }: Assignment,
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
