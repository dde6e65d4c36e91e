import { notesOf } from "../base/notes";
import { WorkerProblem } from "../base/problems";
import { sendable } from "../base/sendable";
import { runAgentTurn } from "./agent-turn";
import type { Assignment } from "./assignment";
import type { Attempt, Failure, Outcome } from "./attempt";
import { type ContextFiles, environmentOf, writeContextFiles } from "./context-files";
import type { Evidence } from "./evidence";
import { runExecTurn } from "./exec-turn";
import { promptWith } from "./messages";

/** Runs one assignment in a folder, with the agent or the command. */
export async function execute(
  attempt: Attempt,
  assignment: Assignment,
  folder: string,
  extra: Record<string, string>,
): Promise<Outcome> {
  const { job, options, heartbeat } = attempt;
  const notes = notesOf(attempt.folder.worktrees, `${job.id}-${job.attempt}`);
  const files = await writeContextFiles(folder, notes, assignment);
  const demo: Record<string, string> = options.demoAsk ? { BACKLOOM_DEMO_ASK: "1" } : {};
  const environment = {
    ...attempt.rules.env,
    ...environmentOf(assignment, files, { ...extra, ...demo }),
  };
  const place = { folder, environment };
  const { work } = options;
  if (!("agents" in work)) {
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
  // Messages that came too late for a turn get another one in the same conversation.
  while (attempt.messages.hasWaiting() && isWorking(outcome)) {
    outcome = await turn(files, await promptWith(attempt.messages, files, "alone"));
  }
  return outcome;
}

/** True if the agent ended normally and can take another turn. */
function isWorking(outcome: Outcome): boolean {
  return failureOf(outcome) === undefined && outcome.result.question === undefined;
}

/** Empty work with denied actions is a failure, not work that was already there. */
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

/** Returns the failure an outcome reports, if any. */
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
      `This machine cannot run the command, so the job returns to the queue: ${end.output.slice(-500)}${advice}`,
    );
  }
  const how = end.timedOut ? "timed out" : `ended with ${end.exitCode}`;
  const failure_reason = `The command ${how}.\n${end.output}`.trim().slice(-4_000);
  return { failure_class: "agent_error", failure_reason };
}
