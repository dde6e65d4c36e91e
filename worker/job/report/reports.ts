import { z } from "zod";
import { agentJobSchema } from "~/wire/agent-jobs/contract";
import { agentQuestionSchema } from "~/wire/questions/contract";
import { messageOf, Refusal } from "../../base/problems";
import { sendable } from "../../base/sendable";
import { git } from "../../git/git";
import type { Attempt, Failure, JobLocation, Workspace } from "../attempt";
import type { PullRequest } from "../deliver/pull-request";
import type { Evidence } from "../proof/inspect";
import { chosenAgent } from "../turn/assignment";
import type { CommandResult } from "../turn/result-file";
import { reportTotals } from "./usage";

/** Reports that the work has begun, and at which commit. */
export async function reportStart(
  attempt: Attempt,
  { rules, references }: Pick<JobLocation, "rules"> & Pick<Workspace, "references">,
  base_sha?: string,
  branch?: string,
): Promise<void> {
  const read = references?.map(({ name, sha }) => ({ name, sha }));
  await report(attempt, "running", { base_sha, branch, agent: chosenAgent(attempt, rules), references: read });
}

/** Reports a failure, that a limit must pass first, or what else the job waits for. */
export async function reportFailure(attempt: Attempt, failure: Failure, result: CommandResult = {}): Promise<void> {
  const kept_ref = (await attempt.keeper.keep()) ?? undefined;
  await attempt.changes.send();
  const failure_reason = withKept(failure.failure_reason, kept_ref, attempt.keeper.leftIn());
  const details = { ...failure, failure_reason, kept_ref, summary: result.summary };
  const { failure_class } = failure;
  await report(attempt, failure_class === undefined ? "queued" : "failed", details);
  const what = failure_class === undefined ? "The job waits" : `Failed (${failure_class})`;
  attempt.journal.say(`${what}: ${firstLines(failure_reason)}`);
}

function withKept(reason: string, kept: string | undefined, leftIn: string | null): string {
  const locations = [
    ...(kept === undefined ? [] : [`The work is kept on the branch ${kept}.`]),
    ...(leftIn === null ? [] : [`Work that could not be kept is in ${leftIn} on the worker's machine.`]),
  ];
  if (locations.length === 0) return reason;
  return `${sendable(reason, 3_400).trimEnd()}\n\n${locations.join(" ")}`;
}

/** Asks a person and gives the job back. Once answered, the job is first in the queue. */
export async function park(
  attempt: Attempt,
  { taskId }: { taskId: string | null },
  { question }: CommandResult,
): Promise<void> {
  if (question === undefined) return;
  const { job, service, journal } = attempt;
  await reportTotals(attempt);
  await attempt.changes.send();
  await attempt.output.flush();
  const about = job.idea === null ? { task_id: taskId } : { idea_id: job.idea.id };
  const given = { ...question, ...about, park: true, job_id: job.id, attempt: job.attempt };
  await ofTask(attempt, service.call("ask_user_question", given, agentQuestionSchema));
  attempt.options.demoAsk = false;
  journal.say(`Asked: ${question.question} The job waits for the answer`);
}

/** Reports that the work is done, or was there already. */
export async function finish(
  attempt: Attempt,
  status: "done" | "skipped",
  evidence: Evidence,
  delivery: Delivery,
  result: CommandResult,
): Promise<void> {
  const { job, journal } = attempt;
  await logCommit(attempt, evidence, delivery);
  const { phase } = await report(attempt, status, {
    verify_result: evidence.verifyResult,
    summary: summaryOf(result, delivery),
    guide: result.guide,
    lessons: result.lessons,
    follow_ups: result.follow_ups,
    head_sha: delivery.kind === "pushed" ? delivery.headSha : evidence.headSha,
    pushed_at: delivery.kind === "pushed" ? delivery.pushedAt : undefined,
    pr_url: delivery.kind === "pushed" ? delivery.pullRequest.url : undefined,
  });
  const code = job.task?.code ?? job.kind;
  journal.say(
    status === "done"
      ? `${code} is done${phase === "review" ? ", and waits for a review" : ""}`
      : `${code}: nothing changed. A person confirms that it is done`,
  );
}

/** Gives a batch back because its remaining tasks are blocked. It is queued until they can start. */
export async function giveBack(attempt: Attempt, summary: string | undefined): Promise<void> {
  await attempt.changes.send();
  await report(attempt, "queued", { summary });
  attempt.journal.say("The rest of the batch is blocked: the job is requeued until then");
}

/** Gives a task's job back without a retry: a person takes it over, or returns it. */
export async function returnJob({ service, job, tally }: Attempt, kept_ref: string | undefined): Promise<void> {
  const held = { job_id: job.id, attempt: job.attempt, status: "queued", kept_ref };
  await service.call("update_job_status", { ...held, ...tally.carried() }, agentJobSchema);
}

/** A task was deleted, or finished by hand, while its batch runs. */
export class TaskGone extends Error {}

/** If it is refused while the attempt holds the job, the task itself is gone (TaskGone). Blocked tasks are not. */
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

interface ReportFields extends Record<string, unknown> {
  summary?: string | undefined;
  failure_reason?: string;
}

/** Sends one report. The service accepts it twice, so it is retried until it gets through. */
export async function report(
  { service, job, tally, output, messages, heartbeat }: Attempt,
  status: "running" | "done" | "failed" | "skipped" | "queued",
  { summary, failure_reason, ...fields }: ReportFields,
): Promise<z.output<typeof agentJobSchema>> {
  const texts = {
    summary: summary && sendable(summary, 20_000),
    failure_reason: failure_reason && sendable(failure_reason, 4_000),
  };
  const held = { job_id: job.id, attempt: job.attempt, status };
  const given = { ...held, ...fields, ...texts, ...tally.carried() };
  if (status !== "running") await output.flush();
  // Confirm what the agent has seen first: the final report settles all messages.
  if (status !== "running" && messages.toConfirm().length > 0) await heartbeat.confirm();
  return service.call("update_job_status", given, agentJobSchema);
}

/** Logs the commit in the story. A full or closed log does not undo the work. */
async function logCommit(attempt: Attempt, evidence: Evidence, delivery: Delivery): Promise<void> {
  const { job, service, journal } = attempt;
  if (delivery.kind !== "pushed" || job.story === null) return;
  const message = await git(delivery.folder, "log", "-1", "--format=%B", delivery.headSha);
  const count = evidence.changedFiles.length;
  const files = `${count} ${count === 1 ? "file" : "files"} on ${job.branch ?? "the branch"}`;
  try {
    await service.call(
      "log_commit",
      {
        story_id: job.story.id,
        content: `${job.task?.code ?? job.kind}: ${files}`,
        commit_hash: delivery.headSha,
        commit_message: message || "(no message)",
        metadata: { job_id: job.id, attempt: job.attempt },
      },
      z.unknown(),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    journal.say(`The commit was not logged: ${messageOf(error)}`);
  }
}

function summaryOf({ summary }: CommandResult, delivery: Delivery): string | undefined {
  const problem = delivery.kind === "pushed" ? delivery.pullRequest.problem : undefined;
  if (problem === undefined) return summary;
  return `${sendable(summary ?? "", 17_000)}\n\n${problem}`.trim();
}

function firstLines(text: string): string {
  return text.split("\n").slice(0, 12).join("\n  ");
}

/** Result of a push. A conflict names the files and the commit they conflict with. */
export type Push =
  | { kind: "conflict"; files: string[]; theirs: string }
  | { kind: "pushed"; headSha: string; pushedAt: string; folder: string };

/** Where a job's work went. `sent_home`: it does not merge, the service knows, and the attempt is over. */
export type Delivery =
  | { kind: "nothing" }
  | { kind: "sent_home" }
  | (Extract<Push, { kind: "pushed" }> & { pullRequest: PullRequest });
