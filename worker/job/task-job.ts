import { verificationSchema } from "~/wire/sprint-runs/contract";
import { commitLeftovers, halfDone } from "../git/commit";
import type { Work } from "../git/integrate";
import { beginningOf } from "../git/integrate";
import { previewWord } from "../git/preview-settings";
import type { Attempt, Workspace } from "./attempt";
import { type Outcome, setUp } from "./commands";
import { reportClash } from "./deliver/conflicts";
import { deliver, pushQuestion } from "./deliver/deliver";
import { finishResolution, startResolution } from "./deliver/resolve-conflict";
import { beginFromEarlier, unjudgedBeginning } from "./open/begin-from";
import { mergeBlockers, restoreWork } from "./open/bring-in";
import { listedFiles, refusalOf, undoChanges } from "./proof/inspect";
import { examineDelivered } from "./proof/on-delivered";
import { finish, park, reportFailure, reportStart } from "./report/reports";
import { type Assignment, taskAssignment } from "./turn/assignment";
import { failureOf } from "./turn/execute";
import { onlyPlans, planAndExecute } from "./turn/plan-first";

/** Runs one task: command, evidence, gate, branch, report. */
export async function workOnTask(attempt: Attempt, workspace: Workspace): Promise<void> {
  const begun = await beginTask(attempt, workspace);
  if (begun !== null) await takeTurn(attempt, workspace, begun.work, begun.assignment, false);
}

/** Prepares the worktree: earlier work, blockers, setup. Returns null if the attempt ends here. */
export async function beginTask(
  attempt: Attempt,
  workspace: Workspace,
): Promise<{ work: Work; assignment: Assignment } | null> {
  const { job } = attempt;
  if (!(await beginFromEarlier(attempt, workspace))) return null;
  const unjudged = unjudgedBeginning(attempt, workspace);
  if (!(await mergeBlockers(attempt, workspace))) return null;
  const begun = unjudged ?? (await beginningOf(workspace, job.id, workspace.start));
  const resolution = job.task?.verify_only ? null : await startResolution(attempt, workspace, begun);
  const assignment = { ...taskAssignment(job, workspace), resolution };
  const work = { name: job.id, base: resolution?.base ?? begun };
  attempt.changes.begin(workspace.folder, work.base, workspace.rules);
  await reportStart(attempt, workspace, work.base, workspace.branch);
  if (job.task?.status === "done") {
    await passOver(attempt, workspace);
    return null;
  }
  const earlier =
    resolution === null && !job.task?.verify_only && !onlyPlans(attempt, assignment)
      ? await restoreWork(attempt, workspace, workspace.kept)
      : {};
  await setUp(attempt, workspace);
  return { work, assignment: { ...assignment, ...earlier } };
}

/** One turn of the agent. If proof is missing, asks once more while everything is still set up. */
async function takeTurn(
  attempt: Attempt,
  workspace: Workspace,
  work: Work,
  assignment: Assignment,
  isLast: boolean,
): Promise<void> {
  const outcome = await planAndExecute(attempt, workspace, assignment, { BACKLOOM_BASE_SHA: work.base });
  if (outcome === null) return;
  const failure = failureOf(outcome);
  if (failure !== undefined) return reportFailure(attempt, failure, outcome.result);
  const missing = await handIn(attempt, workspace, work, { assignment, outcome, isLast });
  if (missing === undefined) return;
  attempt.journal.say(missing);
  const previousFailure = [missing, outcome.leftOut].filter(Boolean).join("\n\n");
  await takeTurn(attempt, workspace, work, { ...assignment, previousFailure }, true);
}

interface Turn {
  assignment: Assignment;
  outcome: Outcome;
  /** Another turn cannot follow. */
  isLast: boolean;
  /** A person did the work, and reads what is missing; the service does not. */
  isByHand?: true;
}

/** Commits, proves and delivers. Returns what is missing if there may be another turn. */
export async function handIn(
  attempt: Attempt,
  workspace: Workspace,
  work: Work,
  turn: Turn,
): Promise<string | undefined> {
  const { assignment, outcome, isLast, isByHand } = turn;
  const { resolution } = assignment;
  const left = resolution === null ? null : await finishResolution(attempt, workspace, resolution);
  const half = await halfDone(workspace.folder);
  if (outcome.result.question !== undefined) {
    if (left === null && half === null) {
      await commitLeftovers(workspace.folder, nameOf(assignment));
      await pushQuestion(attempt, workspace, work, assignment);
    } else await attempt.keeper.keep();
    await park(attempt, assignment, outcome.result);
    return;
  }
  if (left !== null && isByHand) return `Resolve the conflict in ${left.files.map(({ path }) => path).join(", ")}`;
  if (left !== null) {
    await reportClash(attempt, workspace, left);
    return;
  }
  if (half !== null && isByHand) return half;
  if (half !== null && isLast) {
    const failure = { failure_class: "agent_error", failure_reason: half };
    await reportFailure(attempt, failure, outcome.result);
    return;
  }
  if (half === null) await commitLeftovers(workspace.folder, nameOf(assignment));
  return half ?? (await conclude(attempt, workspace, work, turn));
}

/** Returns what is missing as proof if the agent may have another turn. */
async function conclude(
  attempt: Attempt,
  workspace: Workspace,
  work: Work,
  { assignment, outcome, isLast, isByHand }: Turn,
): Promise<string | undefined> {
  const required = attempt.job.task?.verify_required ?? "ALIGNED_OR_PARTIAL";
  const options = { assignment, outcome, since: work.base, head: workspace.start, required };
  await undoChanges(attempt, workspace, options);
  await attempt.changes.send();
  const { evidence, isSeen, failure, denied } = await examineDelivered(attempt, workspace, options);
  if (denied !== undefined) {
    await reportFailure(attempt, denied, outcome.result);
    return;
  }
  evidence.details.preview = await previewWord(workspace.folder, workspace.main, workspace.rules);
  const verification = await verify(attempt, {
    verify_result: evidence.verifyResult,
    changed_files: listedFiles(evidence),
    evidence: evidence.details,
    base_sha: work.base,
    head_sha: evidence.headSha,
  });
  if (failure === undefined && verification.missing.length > 0 && !isLast) return verification.hint;
  if (failure !== undefined || verification.report === null) {
    const refusal = failure ?? refusalOf(evidence, verification.hint);
    if (isByHand) return refusal.failure_reason;
    await reportFailure(attempt, refusal, outcome.result);
    return;
  }
  const delivery =
    evidence.changedFiles.length > 0 || assignment.resolution !== null
      ? await deliver(attempt, workspace, work)
      : { kind: "nothing" as const };
  if (delivery.kind === "sent_home") return;
  const unseen = "Not verified: the command gave no verdict, and there is no test command.";
  const result = isSeen ? outcome.result : { summary: unseen };
  await finish(attempt, isSeen ? verification.report : "skipped", evidence, delivery, result);
  return undefined;
}

function nameOf({ taskCode, title }: Assignment): string {
  return `${taskCode}: ${title}`;
}

/** Passes the turn on when the task was finished by hand while its job waited. */
async function passOver(attempt: Attempt, workspace: Workspace): Promise<void> {
  const summary = "The task was finished by hand before a worker came to it.";
  const evidence = {
    headSha: workspace.start,
    changedFiles: [],
    verifyResult: "EMPTY" as const,
    details: { diff: "no changes", finished_by_hand: true },
  };
  const { report } = await verify(attempt, {
    verify_result: evidence.verifyResult,
    changed_files: [],
    evidence: evidence.details,
    head_sha: evidence.headSha,
  });
  await finish(attempt, report ?? "skipped", evidence, { kind: "nothing" }, { summary });
}

async function verify({ job, service }: Attempt, verdict: Record<string, unknown>) {
  const given = { job_id: job.id, attempt: job.attempt, ...verdict };
  return service.call("verify_task_against_plan", given, verificationSchema);
}
