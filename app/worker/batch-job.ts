import { taskExecutionSchema, type VerifyResult, verificationSchema } from "~/contract/agent-job";
import { type Execution, executionAssignment } from "./assignment";
import { type Attempt, execute, failureOf, type Outcome, ofTask, park, TaskGone } from "./attempt";
import { beginningOf } from "./begun";
import { deliver, pauseForConflict, pushWork } from "./deliver";
import { examine, gatherEvidence, listedFiles } from "./evidence";
import { git } from "./git";
import type { Work } from "./integrate";
import { finish, reportFailure, reportStart } from "./reports";
import { commitLeftovers, type Worktree } from "./worktree";

/** What is known of the tasks that this attempt has brought to their end. */
interface Progress {
  results: VerifyResult[];
  /** What the job shows of each of them. */
  tasks: Record<string, unknown>;
  summaries: string[];
}

/**
 * A whole sprint on one branch: its tasks one after another, each with evidence and gate of its own, and each on the branch
 * before it counts as done, so that whoever goes on after this attempt finds it there.
 */
export async function workOnBatch(attempt: Attempt, worktree: Worktree): Promise<void> {
  await reportStart(attempt, worktree);
  const progress: Progress = { results: [], tasks: {}, summaries: [] };
  for (const execution of attempt.job.executions ?? []) {
    if (execution.status !== "pending" && execution.status !== "running") continue;
    const goesOn = await workOnExecution(attempt, worktree, execution, progress);
    if (!goesOn) return;
  }
  const evidence = await gatherEvidence(worktree, worktree.start, {}, undefined);
  const work = { name: attempt.job.id, base: worktree.start };
  const delivery =
    evidence.changedFiles.length > 0
      ? await deliver(attempt, worktree, work)
      : { kind: "nothing" as const };
  if (delivery.kind === "conflict") return pauseForConflict(attempt, delivery.files, true);
  const verdict = { ...evidence, verifyResult: worstOf(progress.results) };
  const summary = progress.summaries.join("\n\n") || undefined;
  await finish(attempt, "done", verdict, delivery, { summary });
}

/** False when the batch ends here: the task failed, a person was asked, or the branch has a conflict. */
async function workOnExecution(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
  progress: Progress,
): Promise<boolean> {
  const head = await git(worktree.folder, "rev-parse", "HEAD");
  const name = `${attempt.job.id} ${execution.task_id}`;
  const work = { name, base: await beginningOf(worktree, name, head) };
  try {
    await move(attempt, execution, { status: "running" });
    return await workOnTask(attempt, worktree, execution, work, progress);
  } catch (error) {
    if (!(error instanceof TaskGone)) throw error;
    await git(worktree.folder, "reset", "--quiet", "--hard", worktree.branchTip ?? head);
    await git(worktree.folder, "clean", "--quiet", "-fd");
    attempt.journal.say(`${execution.task_code} was deleted or finished by hand: ${error.message}`);
    return true;
  }
}

async function workOnTask(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
  work: Work,
  progress: Progress,
): Promise<boolean> {
  const assignment = executionAssignment(attempt.job, execution);
  const outcome = await execute(attempt, assignment, worktree.folder, {
    BACKLOOM_BASE_SHA: work.base,
  });
  const failure = failureOf(outcome);
  if (failure !== undefined) {
    await reportFailure(attempt, failure, outcome.result);
    return false;
  }
  await commitLeftovers(worktree.folder, `${execution.task_code}: ${execution.title}`);
  if (outcome.result.question === undefined) {
    return judge(attempt, worktree, execution, work, outcome, progress);
  }
  const push = await pushWork(attempt, worktree, work);
  if (push.kind === "conflict") await pauseForConflict(attempt, push.files, false);
  await park(attempt, assignment, outcome.result);
  return false;
}

async function judge(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
  work: Work,
  outcome: Outcome,
  progress: Progress,
): Promise<boolean> {
  const { job, service, journal } = attempt;
  const evidence = await examine(attempt, worktree, outcome, work.base);
  const { test: _output, ...seen } = evidence.details;
  progress.tasks[execution.task_code] = { verify_result: evidence.verifyResult, ...seen };
  const given = {
    job_id: job.id,
    attempt: job.attempt,
    task_id: execution.task_id,
    verify_result: evidence.verifyResult,
    changed_files: listedFiles(evidence),
    evidence: { ...evidence.details, tasks: progress.tasks },
    base_sha: work.base,
    head_sha: evidence.headSha,
  };
  const verification = await ofTask(
    attempt,
    service.call("verify_sprint_task", given, verificationSchema),
  );
  if (verification.report === null) {
    const failure = { failure_class: "verification_failed", failure_reason: verification.hint };
    await reportFailure(attempt, failure, outcome.result);
    return false;
  }
  if (evidence.changedFiles.length > 0) {
    const push = await pushWork(attempt, worktree, work);
    if (push.kind === "conflict") {
      await pauseForConflict(attempt, push.files, true);
      return false;
    }
  }
  const end = { status: verification.report, verify_result: evidence.verifyResult };
  await move(attempt, execution, end);
  progress.results.push(evidence.verifyResult);
  if (outcome.result.summary) {
    progress.summaries.push(`${execution.task_code}: ${outcome.result.summary}`);
  }
  journal.say(`${execution.task_code} is ${verification.report}`);
  return true;
}

async function move(
  attempt: Attempt,
  execution: Execution,
  fields: Record<string, unknown>,
): Promise<void> {
  const { job, service } = attempt;
  const given = { job_id: job.id, attempt: job.attempt, task_id: execution.task_id, ...fields };
  await ofTask(attempt, service.call("update_task_execution", given, taskExecutionSchema));
}

/** The batch is no better than the worst of its tasks; one that was there already says nothing about the others. */
function worstOf(results: readonly VerifyResult[]): VerifyResult {
  return (
    (["DIVERGENT", "PARTIAL", "ALIGNED"] as const).find((result) => results.includes(result)) ??
    "EMPTY"
  );
}
