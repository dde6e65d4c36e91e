import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { type AgentQuestion, agentQuestionSchema } from "~/wire/questions/contract";
import type { JobPayload } from "~/wire/workers/contract";
import { allowOption, denyOption } from "../../agents/acp/permission";
import { Refusal } from "../../base/problems";
import { sendable } from "../../base/sendable";
import type { CallOptions } from "../../service/service";
import type { Attempt } from "../attempt";

type Asking = Pick<Attempt, "job" | "service">;

interface PermissionRequest {
  question: string;
  options: string[];
  /** The host it is for. */
  reach?: string;
}

const pollMilliseconds = 3_000;

/** Null if someone else answered, or no one in time. An earlier attempt's question is not asked again. */
export async function awaitPermission(
  attempt: Asking,
  request: PermissionRequest,
  signal: AbortSignal,
  onAsked: (question: AgentQuestion) => Promise<void> = async () => undefined,
): Promise<string | null> {
  const askAnew = async () => {
    const question = await askPermission(attempt, request, { signal });
    await onAsked(question);
    return question;
  };
  const earlier = attempt.job.questions.find(
    ({ kind, question }) => kind === "permission" && question === request.question,
  );
  const { id } = earlier ?? (await askAnew());
  for (let isFirst = earlier !== undefined; ; isFirst = false) {
    if (!isFirst) await pause(pollMilliseconds, undefined, { signal, ref: false });
    const answer = await readPermission(attempt, id, { signal });
    if (answer !== undefined) return answer;
  }
}

/** Asks the worker's user without waiting. */
export function askPermission(
  { job, service }: Asking,
  request: PermissionRequest,
  options?: CallOptions,
): Promise<AgentQuestion> {
  const held = { job_id: job.id, attempt: job.attempt };
  const given = { kind: "permission", ...request, ...held, ...subjectOf(job) };
  return service.call("ask_user_question", given, agentQuestionSchema, options);
}

/** The user's answer, null if it is not theirs, undefined while the question is open. */
export async function readPermission(
  { job, service }: Asking,
  question_id: string,
  options?: CallOptions,
): Promise<string | null | undefined> {
  const answered = await service.call("get_question_answer", { question_id }, answerSchema, options);
  if (answered.status === "open") return undefined;
  // The service lets no one else answer; the worker checks it as well.
  if (answered.answered_by !== job.user_id || answered.taken_by_policy) return null;
  return answered.effective_answer ?? null;
}

/** Subject of the question: the job's task or idea, or the batch's first task. */
function subjectOf({ idea, task, story, executions: tasks }: JobPayload) {
  if (idea !== null) return { idea_id: idea.id };
  const task_id = task?.id ?? tasks?.[0]?.task_id;
  return task_id === undefined ? { story_id: story?.id } : { task_id };
}

const answerSchema = z.object({
  status: z.string(),
  answered_by: z.string().nullish(),
  effective_answer: z.string().nullish(),
  taken_by_policy: z.boolean().nullish(),
});

/** Keeps an agent that names many commands from flooding the inbox. */
const mostAsked = 5;
const longestCommand = 2_000;

/** This exact command. Asks once per job without waiting: the answer counts the next time it is named. */
export async function isAllowedAsProof(attempt: Attempt, command: string): Promise<boolean> {
  const { job } = attempt;
  const question = `Run \`${command}\` as proof on this machine?`;
  const earlier = job.questions.find((given) => given.kind === "permission" && given.question === question);
  if (earlier !== undefined) return (await readPermission(attempt, earlier.id)) === allowOption;
  if (!isShownWhole(attempt, command) || countAsked(attempt) >= mostAsked) return false;
  try {
    job.questions.push(await askPermission(attempt, { question, options: [allowOption, denyOption] }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    attempt.journal.say(`Could not ask for permission: ${error.message}`);
  }
  return false;
}

/** A command is only asked about if the question can show all of it. */
function isShownWhole({ clean }: Pick<Attempt, "clean">, command: string): boolean {
  return clean(sendable(command, longestCommand)) === command;
}

function countAsked({ job }: Pick<Attempt, "job">): number {
  return job.questions.filter(({ question }) => question.endsWith("` as proof on this machine?")).length;
}
