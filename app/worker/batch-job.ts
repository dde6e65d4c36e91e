import type { VerifyResult } from "~/contract/agent-job";
import { taskExecutionSchema, verificationSchema } from "~/contract/task-execution";
import {
  type Assignment,
  type Execution,
  executionAssignment,
  type Surroundings,
} from "./assignment";
import {
  type Attempt,
  deniedFailure,
  execute,
  failureOf,
  type Outcome,
  ofTask,
  park,
  TaskGone,
} from "./attempt";
import { beginningOf } from "./begun";
import { deliver, pushOrSendHome, pushQuestion } from "./deliver";
import { gatherEvidence, listedFiles, refusalOf } from "./evidence";
import { git } from "./git";
import type { Work } from "./integrate";
import { look } from "./look";
import { mendBatch } from "./mend-batch";
import { mergeBlockers } from "./merge-blockers";
import { prove } from "./prove";
import { finish, reportFailure, reportStart } from "./reports";
import { setUp } from "./set-up";
import { commitLeftovers, type Worktree } from "./worktree";

/** What is known of the tasks that this attempt has brought to their end. */
interface Progress {
  surroundings: Surroundings;
  results: VerifyResult[];
  /** What the job shows of each of them. */
  tasks: Record<string, unknown>;
  summaries: string[];
}

/** The work of one task, and where the branch stood before it. */
interface TaskWork extends Work {
  head: string;
}

/** A task whose command has ended. */
interface Ended {
  execution: Execution;
  assignment: Assignment;
  work: TaskWork;
  outcome: Outcome;
}

/**
 * A whole sprint on one branch: its tasks one after another, each with evidence and gate of its own, and each on the branch
 * before it counts as done, so that whoever goes on after this attempt finds it there.
 */
export async function workOnBatch(
  attempt: Attempt,
  worktree: Worktree,
  surroundings: Surroundings,
): Promise<void> {
  if (!(await mergeBlockers(attempt, worktree))) return;
  attempt.changes.begin(worktree.folder, worktree.start);
  await reportStart(attempt, worktree.start, worktree.branch);
  await setUp(attempt, worktree);
  if (!(await mendBatch(attempt, worktree, surroundings))) return;
  const progress: Progress = {
    surroundings,
    results: earlierResults(attempt),
    tasks: {},
    summaries: [],
  };
  for (const execution of attempt.job.executions ?? []) {
    if (execution.status !== "pending" && execution.status !== "running") continue;
    const goesOn = await workOnExecution(attempt, worktree, execution, progress);
    if (!goesOn) return;
  }
  const evidence = await gatherEvidence(worktree, worktree.start, {}, undefined);
  await attempt.changes.send();
  const work = { name: attempt.job.id, base: worktree.start };
  const delivery =
    evidence.changedFiles.length > 0
      ? await deliver(attempt, worktree, work)
      : { kind: "nothing" as const };
  if (delivery.kind === "sent_home") return;
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
    return await workOnTask(attempt, worktree, execution, { ...work, head }, progress);
  } catch (error) {
    if (!(error instanceof TaskGone)) throw error;
    const kept = await attempt.keep();
    if (kept !== null) attempt.journal.say(`What was done of it is on ${kept}`);
    await git(worktree.folder, "reset", "--quiet", "--hard", worktree.branchTip ?? head);
    attempt.journal.say(`${execution.task_code} was deleted or finished by hand: ${error.message}`);
    return true;
  }
}

async function workOnTask(
  attempt: Attempt,
  worktree: Worktree,
  execution: Execution,
  work: TaskWork,
  progress: Progress,
): Promise<boolean> {
  const assignment = executionAssignment(attempt.job, execution, progress.surroundings);
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
    return judge(attempt, worktree, { execution, assignment, work, outcome }, progress);
  }
  await pushQuestion(attempt, worktree, work, assignment);
  await park(attempt, assignment, outcome.result);
  return false;
}

async function judge(
  attempt: Attempt,
  worktree: Worktree,
  { execution, assignment, work, outcome }: Ended,
  progress: Progress,
): Promise<boolean> {
  const { job, service, journal } = attempt;
  const { evidence, isSeen, failure } = await look(attempt, worktree, {
    ...{ assignment, outcome, since: work.base, head: work.head },
    required: execution.verify_required,
  });
  const denied = deniedFailure(outcome, evidence, assignment.verifyOnly);
  if (denied !== undefined) {
    await reportFailure(attempt, denied, outcome.result);
    return false;
  }
  if (failure === undefined) await prove(attempt, worktree, assignment, outcome, evidence);
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
  if (failure !== undefined || verification.report === null) {
    const refusal = failure ?? refusalOf(evidence, verification.hint);
    await reportFailure(attempt, refusal, outcome.result);
    return false;
  }
  if (evidence.changedFiles.length > 0) {
    const push = await pushOrSendHome(attempt, worktree, work);
    if (push.kind === "sent_home") return false;
  }
  const status = isSeen ? verification.report : "skipped";
  await move(attempt, execution, { status, verify_result: evidence.verifyResult });
  progress.results.push(evidence.verifyResult);
  if (outcome.result.summary) {
    progress.summaries.push(`${execution.task_code}: ${outcome.result.summary}`);
  }
  journal.say(`${execution.task_code} is ${status}`);
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

function earlierResults({ job }: Attempt): VerifyResult[] {
  return (job.executions ?? []).flatMap(({ status, verify_result }) =>
    status === "done" && verify_result !== null ? [verify_result] : [],
  );
}
