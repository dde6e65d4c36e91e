import { verificationSchema } from "~/nouns/sprint-runs/task-execution";
import { commitLeftovers, halfDone } from "../git/commit";
import type { Work } from "../git/integrate";
import { beginningOf } from "../git/integrate";
import type { Worktree } from "../git/worktree";
import type { Attempt } from "./attempt";
import { type Outcome, setUp } from "./commands";
import { tellClash } from "./deliver/conflicts";
import { deliver, pushQuestion } from "./deliver/deliver";
import { finishResolution, startResolution } from "./deliver/resolve-conflict";
import { beginFromEarlier, unjudgedBeginning } from "./open/begin-from";
import { mergeBlockers, restoreWork } from "./open/bring-in";
import { inspect, listedFiles, refusalOf } from "./proof/inspect";
import { prove } from "./proof/prove";
import { finish, park, reportFailure, reportStart } from "./report/reports";
import { type Assignment, type JobContext, taskAssignment } from "./turn/assignment";
import { deniedFailure, failureOf } from "./turn/execute";
import { onlyPlans, planAndExecute } from "./turn/plan-first";

/** Runs one task: command, evidence, gate, branch, report. */
export async function workOnTask(
  attempt: Attempt,
  worktree: Worktree,
  context: JobContext,
): Promise<void> {
  const begun = await beginTask(attempt, worktree, context);
  if (begun !== null) await takeTurn(attempt, worktree, begun.work, begun.assignment, false);
}

/** Prepares the worktree: earlier work, blockers, setup. Returns null if the attempt ends here. */
export async function beginTask(
  attempt: Attempt,
  worktree: Worktree,
  context: JobContext,
): Promise<{ work: Work; assignment: Assignment } | null> {
  const { job } = attempt;
  if (!(await beginFromEarlier(attempt, worktree, context))) return null;
  const unjudged = unjudgedBeginning(attempt, worktree);
  if (!(await mergeBlockers(attempt, worktree))) return null;
  const begun = unjudged ?? (await beginningOf(worktree, job.id, worktree.start));
  const resolution = job.task?.verify_only ? null : await startResolution(attempt, worktree, begun);
  const assignment = { ...taskAssignment(job, context), resolution };
  const work = { name: job.id, base: resolution?.base ?? begun };
  attempt.changes.begin(worktree.folder, work.base, attempt.rules);
  await reportStart(attempt, work.base, worktree.branch);
  if (job.task?.status === "done") {
    await passOver(attempt, worktree);
    return null;
  }
  const earlier =
    resolution === null && !job.task?.verify_only && !onlyPlans(attempt, assignment)
      ? await restoreWork(attempt, worktree, context.kept)
      : {};
  await setUp(attempt, worktree);
  return { work, assignment: { ...assignment, ...earlier } };
}

/** One turn of the agent. If proof is missing, asks once more while everything is still set up. */
async function takeTurn(
  attempt: Attempt,
  worktree: Worktree,
  work: Work,
  assignment: Assignment,
  isLast: boolean,
): Promise<void> {
  const outcome = await planAndExecute(attempt, assignment, worktree, {
    BACKLOOM_BASE_SHA: work.base,
  });
  if (outcome === null) return;
  const failure = failureOf(outcome);
  if (failure !== undefined) return reportFailure(attempt, failure, outcome.result);
  const missing = await handIn(attempt, worktree, work, { assignment, outcome, isLast });
  if (missing === undefined) return;
  attempt.journal.say(missing);
  await takeTurn(attempt, worktree, work, { ...assignment, previousFailure: missing }, true);
}

/** Commits, proves and delivers. Returns what is missing if there may be another turn. */
export async function handIn(
  attempt: Attempt,
  worktree: Worktree,
  work: Work,
  turn: { assignment: Assignment; outcome: Outcome; isLast: boolean },
): Promise<string | undefined> {
  const { assignment, outcome, isLast } = turn;
  const { resolution } = assignment;
  const left = resolution === null ? null : await finishResolution(attempt, worktree, resolution);
  const half = await halfDone(worktree.folder);
  if (outcome.result.question !== undefined) {
    if (left === null && half === null) {
      await commitLeftovers(worktree.folder, nameOf(assignment));
      await pushQuestion(attempt, worktree, work, assignment);
    } else await attempt.keeper.keep();
    await park(attempt, assignment, outcome.result);
    return;
  }
  if (left !== null && attempt.isByHand)
    return `Resolve the conflict in ${left.files.map(({ path }) => path).join(", ")}`;
  if (left !== null) {
    await tellClash(attempt, worktree, left);
    return;
  }
  if (half !== null && attempt.isByHand) return half;
  if (half !== null && isLast) {
    const failure = { failure_class: "agent_error", failure_reason: half };
    await reportFailure(attempt, failure, outcome.result);
    return;
  }
  if (half === null) await commitLeftovers(worktree.folder, nameOf(assignment));
  return half ?? (await conclude(attempt, worktree, work, turn));
}

/** Returns what is missing as proof if the agent may have another turn. */
async function conclude(
  attempt: Attempt,
  worktree: Worktree,
  work: Work,
  { assignment, outcome, isLast }: { assignment: Assignment; outcome: Outcome; isLast: boolean },
): Promise<string | undefined> {
  const required = attempt.job.task?.verify_required ?? "ALIGNED_OR_PARTIAL";
  const wish = { assignment, outcome, since: work.base, head: worktree.start, required };
  const { evidence, isSeen, failure } = await inspect(attempt, worktree, wish);
  await attempt.changes.send();
  const denied = deniedFailure(outcome, evidence, assignment.verifyOnly);
  if (denied !== undefined) {
    await reportFailure(attempt, denied, outcome.result);
    return;
  }
  if (failure === undefined) await prove(attempt, worktree, assignment, outcome, evidence);
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
    if (attempt.isByHand) return refusal.failure_reason;
    await reportFailure(attempt, refusal, outcome.result);
    return;
  }
  const delivery =
    evidence.changedFiles.length > 0 || assignment.resolution !== null
      ? await deliver(attempt, worktree, work)
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
async function passOver(attempt: Attempt, worktree: Worktree): Promise<void> {
  const summary = "The task was finished by hand before a worker came to it.";
  const evidence = {
    headSha: worktree.start,
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
