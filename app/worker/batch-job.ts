import { taskExecutionSchema, verificationSchema } from "~/contract/agent-job";
import type { JobPayload } from "~/contract/worker";
import { type Attempt, execute, type Failure, failureOf, type Outcome, park } from "./attempt";
import type { Assignment } from "./context-files";
import { deliver, pushWork } from "./deliver";
import { type Evidence, gatherEvidence } from "./evidence";
import { git } from "./git";
import { finish, report, reportFailure, reportStart } from "./reports";
import type { CommandResult } from "./result-file";
import { examine } from "./task-job";
import { commitLeftovers, type Worktree } from "./worktree";

type Execution = NonNullable<JobPayload["executions"]>[number];

/**
 * A whole sprint on one branch: its tasks one after another, each with evidence and gate of its own, and each on the branch
 * before it counts as done, so that whoever goes on after this attempt finds it there.
 */
export async function workOnBatch(attempt: Attempt, worktree: Worktree): Promise<void> {
  await reportStart(attempt, worktree);
  const total: CommandResult = {};
  for (const execution of attempt.job.executions ?? []) {
    if (execution.status !== "pending" && execution.status !== "running") continue;
    const goesOn = await workOnExecution(attempt, worktree, execution, total);
    if (!goesOn) return;
  }
  const evidence = await gatherEvidence(worktree, worktree.baseSha, {}, undefined);
  const aligned: Evidence = { ...evidence, verifyResult: "ALIGNED" };
  const delivery =
    evidence.changedFiles.length > 0
      ? await deliver(attempt, worktree)
      : { kind: "nothing" as const };
  if (delivery.kind === "conflict") return;
  await finish(attempt, "done", aligned, delivery, total);
}

/** False when the batch ends here: the task failed, or a person was asked. */
async function workOnExecution(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
  total: CommandResult,
): Promise<boolean> {
  const since = await beginningOf(attempt, worktree, execution);
  await move(attempt, execution, { status: "running" });
  const outcome = await execute(attempt, assignmentOf(attempt, execution), worktree.folder, {
    BACKLOOM_BASE_SHA: since,
  });
  addUsage(total, outcome.result);
  const failure = failureOf(outcome);
  if (failure !== undefined) return giveUp(attempt, execution, failure, total);
  await commitLeftovers(worktree.folder, `${execution.task_code}: ${execution.title}`);
  if (outcome.result.question !== undefined) {
    await deliver(attempt, worktree);
    await park(attempt, outcome.result);
    return false;
  }
  return judge(attempt, worktree, execution, outcome, since, total);
}

/**
 * What the work of a task is compared with. The service keeps it: what an earlier attempt has pushed of a task that it did
 * not finish is work of that task.
 */
async function beginningOf(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
): Promise<string> {
  if (execution.status === "running") return worktree.baseSha;
  const since = await git(worktree.folder, "rev-parse", "HEAD");
  if (since !== worktree.baseSha) await report(attempt, "running", { base_sha: since });
  return since;
}

async function judge(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
  outcome: Outcome,
  since: string,
  total: CommandResult,
): Promise<boolean> {
  const { job, service, journal } = attempt;
  const evidence = await examine(attempt, worktree, outcome, since);
  const verification = await service.call(
    "verify_sprint_task",
    {
      job_id: job.id,
      attempt: job.attempt,
      task_id: execution.task_id,
      verify_result: evidence.verifyResult,
      changed_files: evidence.changedFiles.slice(0, 5_000),
      evidence: evidence.details,
      base_sha: since,
      head_sha: evidence.headSha,
    },
    verificationSchema,
  );
  if (verification.report === null) {
    const failure = { failure_class: "verification_failed", failure_reason: verification.hint };
    return giveUp(attempt, execution, failure, total);
  }
  if (evidence.changedFiles.length > 0) {
    const push = await pushWork(attempt, worktree);
    if (push.kind === "conflict") return false;
  }
  await move(attempt, execution, {
    status: verification.report,
    verify_result: evidence.verifyResult,
  });
  journal.say(`${execution.task_code} is ${verification.report}`);
  return true;
}

/** A limit that passes puts the whole job back; anything else fails the task and with it the batch. */
async function giveUp(
  attempt: Attempt,
  execution: Execution,
  failure: Failure,
  total: CommandResult,
): Promise<false> {
  if (failure.failure_class !== "rate_limited") {
    await move(attempt, execution, { status: "failed", failure_reason: failure.failure_reason });
  }
  await reportFailure(attempt, failure, total);
  return false;
}

async function move(
  { job, service }: Attempt,
  execution: Execution,
  fields: Record<string, unknown>,
): Promise<void> {
  await service.call(
    "update_task_execution",
    { job_id: job.id, attempt: job.attempt, task_id: execution.task_id, ...fields },
    taskExecutionSchema,
  );
}

function assignmentOf({ job }: Attempt, execution: Execution): Assignment {
  return {
    job,
    taskCode: execution.task_code,
    storyCode: execution.story_code,
    title: execution.title,
    description: execution.description,
    plan: execution.plan,
    acceptanceCriteria: execution.acceptance_criteria,
  };
}

function addUsage(total: CommandResult, result: CommandResult): void {
  total.model_id = result.model_id ?? total.model_id;
  for (const key of [
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
  ] as const) {
    const added = result[key];
    if (added !== undefined) total[key] = (total[key] ?? 0) + added;
  }
}
