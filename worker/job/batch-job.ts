import type { VerifyResult } from "~/wire/agent-jobs/contract";
import { taskExecutionSchema, verificationSchema } from "~/wire/sprint-runs/contract";
import { Refusal } from "../base/problems";
import { commitLeftovers, halfDone } from "../git/commit";
import { git } from "../git/git";
import type { Work } from "../git/integrate";
import { beginningOf } from "../git/integrate";
import type { Attempt, Workspace } from "./attempt";
import { earlierResults, guideOfBatch, type TaskGuide, worstOf } from "./batch-results";
import { type Outcome, setUp } from "./commands";
import { deliver, pushOrSendHome, pushQuestion } from "./deliver/deliver";
import { resolveBatch } from "./deliver/resolve-conflict";
import { beginFromEarlier } from "./open/begin-from";
import { mergeBlockers, restoreWork } from "./open/bring-in";
import { gatherEvidence, listedFiles, refusalOf, undoChanges } from "./proof/inspect";
import { examineDelivered } from "./proof/on-delivered";
import { finish, giveBack, ofTask, park, reportFailure, reportStart, TaskGone } from "./report/reports";
import { type Assignment, assignedAgent, type Execution, executionAssignment } from "./turn/assignment";
import { failureOf } from "./turn/execute";
import { onlyPlans, planAndExecute } from "./turn/plan-first";

interface Progress {
  results: VerifyResult[];
  tasks: Record<string, unknown>;
  summaries: string[];
  guides: TaskGuide[];
  /** Work left by an earlier attempt belongs to the first unfinished task. */
  isFirst: boolean;
}

interface TaskWork extends Work {
  head: string;
}

type Ended = { execution: Execution; assignment: Assignment; work: TaskWork; outcome: Outcome };

/** Each task has its own gate, and is pushed before it counts as done, so that a later attempt finds it. */
export async function workOnBatch(attempt: Attempt, workspace: Workspace): Promise<void> {
  if (!(await beginFromEarlier(attempt, workspace))) return;
  if (!(await mergeBlockers(attempt, workspace))) return;
  attempt.changes.begin(workspace.folder, workspace.start, workspace.rules);
  await reportStart(attempt, workspace, workspace.start, workspace.branch);
  await setUp(attempt, workspace);
  if (!(await resolveBatch(attempt, workspace))) return;
  const progress: Progress = { results: earlierResults(attempt), tasks: {}, summaries: [], guides: [], isFirst: true };
  if (!(await workOnExecutions(attempt, workspace, progress))) return;
  const head = await git(workspace.folder, "rev-parse", "HEAD");
  const evidence = await gatherEvidence(workspace, workspace.start, head, {}, undefined);
  await attempt.changes.send();
  const guide = await guideOfBatch(workspace.folder, progress.guides, evidence.headSha);
  const work = { name: attempt.job.id, base: workspace.start };
  const delivery =
    evidence.changedFiles.length > 0 ? await deliver(attempt, workspace, work) : { kind: "nothing" as const };
  if (delivery.kind === "sent_home") return;
  const verdict = { ...evidence, verifyResult: worstOf(progress.results) };
  await finish(attempt, "done", verdict, delivery, { summary: summaryOf(progress), guide });
}

/** Returns false if the attempt ends before the batch does. Blocked tasks are retried after all others. */
async function workOnExecutions(attempt: Attempt, workspace: Workspace, progress: Progress): Promise<boolean> {
  let left = (attempt.job.executions ?? []).filter(({ status }) => status === "pending" || status === "running");
  while (left.length > 0) {
    const waiting: Execution[] = [];
    for (const execution of left) {
      if (!isForThis(attempt, execution)) {
        attempt.journal.say(`${execution.task_code} is for ${execution.agent}: the batch continues there`);
        await giveBack(attempt, summaryOf(progress));
        return false;
      }
      const end = await workOnExecution(attempt, workspace, execution, progress);
      if (end === "over") return false;
      if (end === "waits") waiting.push(execution);
    }
    if (waiting.length === left.length) {
      await giveBack(attempt, summaryOf(progress));
      return false;
    }
    left = waiting;
  }
  return true;
}

/** An attempt is one agent's: a task that names another one is for the next attempt. */
function isForThis({ job, options: { work } }: Attempt, { agent }: Execution): boolean {
  return agent == null || !("agents" in work) || agent === assignedAgent(job, work);
}

/** The attempt is over if the task failed, a person was asked, or the branch has a conflict. */
async function workOnExecution(
  attempt: Attempt,
  workspace: Workspace,
  execution: Execution,
  progress: Progress,
): Promise<"goes_on" | "waits" | "over"> {
  const head = await git(workspace.folder, "rev-parse", "HEAD");
  const name = `${attempt.job.id} ${execution.task_id}`;
  const work = { name, base: await beginningOf(workspace, name, head) };
  try {
    await move(attempt, execution, { status: "running" });
    const goesOn = await workOnTask(attempt, workspace, execution, { ...work, head }, progress);
    return goesOn ? "goes_on" : "over";
  } catch (error) {
    if (error instanceof Refusal && error.blockedBy.length > 0) {
      attempt.journal.say(`${execution.task_code} is blocked by ${error.blockedBy.join(", ")}`);
      return "waits";
    }
    if (!(error instanceof TaskGone)) throw error;
    const kept = await attempt.keeper.keepBeforeReset();
    if (kept !== null) attempt.journal.say(`Its work is kept on ${kept}`);
    await git(workspace.folder, "reset", "--quiet", "--hard", workspace.branchTip ?? head);
    attempt.journal.say(`${execution.task_code} was deleted or finished by hand: ${error.message}`);
    return "goes_on";
  }
}

async function workOnTask(
  attempt: Attempt,
  workspace: Workspace,
  execution: Execution,
  work: TaskWork,
  progress: Progress,
): Promise<boolean> {
  const given = executionAssignment(attempt.job, execution, workspace);
  const earlier =
    progress.isFirst && !execution.verify_only && !onlyPlans(attempt, given)
      ? await restoreWork(attempt, workspace, workspace.kept)
      : {};
  progress.isFirst &&= execution.verify_only;
  const assignment = { ...given, ...earlier };
  const outcome = await planAndExecute(attempt, workspace, assignment, { BACKLOOM_BASE_SHA: work.base });
  if (outcome === null) return false;
  const failure = failureOf(outcome);
  if (failure !== undefined) {
    await reportFailure(attempt, failure, outcome.result);
    return false;
  }
  const half = await halfDone(workspace.folder);
  if (half !== null && outcome.result.question === undefined) {
    const unended = { failure_class: "agent_error", failure_reason: half };
    await reportFailure(attempt, unended, outcome.result);
    return false;
  }
  if (half === null) {
    await commitLeftovers(workspace.folder, `${execution.task_code}: ${execution.title}`);
  }
  if (outcome.result.question === undefined) {
    return judge(attempt, workspace, { execution, assignment, work, outcome }, progress);
  }
  if (half === null) await pushQuestion(attempt, workspace, work, assignment);
  else await attempt.keeper.keep();
  await park(attempt, assignment, outcome.result);
  return false;
}

async function judge(
  attempt: Attempt,
  workspace: Workspace,
  { execution, assignment, work, outcome }: Ended,
  progress: Progress,
): Promise<boolean> {
  const { job, service, journal } = attempt;
  const options = { assignment, outcome, since: work.base, head: work.head, required: execution.verify_required };
  await undoChanges(attempt, workspace, options);
  const { evidence, isSeen, failure, denied } = await examineDelivered(attempt, workspace, options);
  if (denied !== undefined) {
    await reportFailure(attempt, denied, outcome.result);
    return false;
  }
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
  const verification = await ofTask(attempt, service.call("verify_sprint_task", given, verificationSchema));
  if (failure !== undefined || verification.report === null) {
    const refusal = failure ?? refusalOf(evidence, verification.hint);
    await reportFailure(attempt, refusal, outcome.result);
    return false;
  }
  let head_sha: string | undefined;
  if (evidence.changedFiles.length > 0) {
    const push = await pushOrSendHome(attempt, workspace, work);
    if (push.kind === "sent_home") return false;
    head_sha = push.headSha;
  }
  const status = isSeen ? verification.report : "skipped";
  await move(attempt, execution, { status, verify_result: evidence.verifyResult, head_sha });
  progress.results.push(evidence.verifyResult);
  progress.guides.push({
    name: `${execution.task_code} ${execution.title}`,
    guide: outcome.result.guide,
    base: work.base,
    head: evidence.headSha,
  });
  if (outcome.result.summary) {
    progress.summaries.push(`${execution.task_code}: ${outcome.result.summary}`);
  }
  journal.say(`${execution.task_code} is ${status}`);
  return true;
}

async function move(attempt: Attempt, execution: Execution, fields: Record<string, unknown>): Promise<void> {
  const { job, service } = attempt;
  const given = { job_id: job.id, attempt: job.attempt, task_id: execution.task_id, ...fields };
  await ofTask(attempt, service.call("update_task_execution", given, taskExecutionSchema));
}

function summaryOf({ summaries }: Progress): string | undefined {
  return summaries.join("\n\n") || undefined;
}
