import { commitLeftovers } from "../../git/commit";
import type { Worktree } from "../../git/worktree";
import { type Attempt, park } from "../attempt";
import { examine, refusalOf, testOf } from "../proof/evidence";
import { reportFailure } from "../report/reports";
import type { Resolution } from "../turn/assignment";
import { type Assignment, type JobContext, taskAssignment } from "../turn/assignment";
import { execute, failureOf } from "../turn/execute";
import { tellClash } from "./conflicts";
import { finishResolution, startResolution } from "./resolve-conflict";

/**
 * Resolves a batch's conflict in an extra turn, because all its tasks may be done. Returns true if resolved or nothing
 * to resolve, false if the attempt is over.
 */
export async function resolveBatch(
  attempt: Attempt,
  worktree: Worktree,
  context: JobContext,
): Promise<boolean> {
  const resolution = await startResolution(attempt, worktree, worktree.start);
  return resolution === null || resolveInTurn(attempt, worktree, context, resolution);
}

/** Runs the turn that resolves the conflict. Returns false if the attempt is over. */
export async function resolveInTurn(
  attempt: Attempt,
  worktree: Worktree,
  context: JobContext,
  resolution: Resolution,
): Promise<boolean> {
  const { job } = attempt;
  const assignment: Assignment = {
    ...taskAssignment(job, context),
    ...{ taskId: job.task_id, title: "Bring both versions together", plan: null, criteria: [] },
    resolution,
  };
  const outcome = await execute(attempt, assignment, worktree.folder, {
    BACKLOOM_BASE_SHA: resolution.base,
  });
  const failure = failureOf(outcome);
  if (failure !== undefined) return over(reportFailure(attempt, failure, outcome.result));
  const left = await finishResolution(attempt, worktree, resolution);
  if (outcome.result.question !== undefined) {
    await attempt.keep();
    return over(park(attempt, assignment, outcome.result));
  }
  if (left !== null) return over(tellClash(attempt, worktree, left));
  await commitLeftovers(worktree.folder, assignment.title);
  const evidence = await examine(attempt, worktree, outcome, resolution.base);
  if (testOf(evidence)?.passed !== false) return true;
  return over(reportFailure(attempt, refusalOf(evidence, ""), outcome.result));
}

async function over(end: Promise<unknown>): Promise<false> {
  await end;
  return false;
}
