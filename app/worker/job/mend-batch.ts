import { commitLeftovers } from "../git/commit";
import type { Worktree } from "../git/worktree";
import type { Mending } from "./assignment";
import { type Assignment, type Surroundings, taskAssignment } from "./assignment";
import { type Attempt, park } from "./attempt";
import { tellClash } from "./conflicts";
import { examine, refusalOf, testOf } from "./evidence";
import { execute, failureOf } from "./execute";
import { beginMending, endMending } from "./mend";
import { reportFailure } from "./reports";

/**
 * Resolves a batch's conflict in an extra turn, because all its tasks may be done. Returns true if resolved or nothing
 * to resolve, false if the attempt is over.
 */
export async function mendBatch(
  attempt: Attempt,
  worktree: Worktree,
  surroundings: Surroundings,
): Promise<boolean> {
  const mending = await beginMending(attempt, worktree, worktree.start);
  return mending === null || mendInTurn(attempt, worktree, surroundings, mending);
}

/** Runs the turn that resolves the conflict. Returns false if the attempt is over. */
export async function mendInTurn(
  attempt: Attempt,
  worktree: Worktree,
  surroundings: Surroundings,
  mending: Mending,
): Promise<boolean> {
  const { job } = attempt;
  const assignment: Assignment = {
    ...taskAssignment(job, surroundings),
    ...{ taskId: job.task_id, title: "Bring both versions together", plan: null, criteria: [] },
    mending,
  };
  const outcome = await execute(attempt, assignment, worktree.folder, {
    BACKLOOM_BASE_SHA: mending.base,
  });
  const failure = failureOf(outcome);
  if (failure !== undefined) return over(reportFailure(attempt, failure, outcome.result));
  const left = await endMending(attempt, worktree, mending);
  if (outcome.result.question !== undefined) {
    await attempt.keep();
    return over(park(attempt, assignment, outcome.result));
  }
  if (left !== null) return over(tellClash(attempt, worktree, left));
  await commitLeftovers(worktree.folder, assignment.title);
  const evidence = await examine(attempt, worktree, outcome, mending.base);
  if (testOf(evidence)?.passed !== false) return true;
  return over(reportFailure(attempt, refusalOf(evidence, ""), outcome.result));
}

async function over(end: Promise<unknown>): Promise<false> {
  await end;
  return false;
}
