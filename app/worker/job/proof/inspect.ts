import type { VerifyResult } from "~/nouns/agent-jobs/contract";
import type { verifyRequirements } from "~/nouns/tasks/contract";
import { git } from "../../git/git";
import type { Worktree } from "../../git/worktree";
import { type Attempt, type Failure, keepBeforeReset, type Outcome } from "../attempt";
import type { Assignment } from "../turn/assignment";
import { type Evidence, examine, refusalOf, testOf } from "./evidence";

type Requirement = (typeof verifyRequirements)[number];

/** Evidence for a task's work. */
export interface Inspection {
  evidence: Evidence;
  /** False if there is neither a verdict nor a test. */
  isSeen: boolean;
  failure: Failure | undefined;
}

interface InspectionWish {
  assignment: Assignment;
  outcome: Outcome;
  /** Commit the work is compared with. */
  since: string;
  /** Commit at which the command started. */
  head: string;
  required: Requirement;
}

/**
 * Examines a task's work. A verify-only task delivers nothing, so its diff is ignored and the command's verdict or the
 * test counts.
 */
export async function inspect(
  attempt: Attempt,
  worktree: Worktree,
  wish: InspectionWish,
): Promise<Inspection> {
  const { assignment, outcome, since, head, required } = wish;
  if (!assignment.verifyOnly) {
    const evidence = await examine(attempt, worktree, outcome, since);
    return { evidence, isSeen: true, failure: undefined };
  }
  const kept = await keepBeforeReset(attempt);
  if (kept !== null)
    attempt.journal.say(`The task should change nothing; its changes are kept on ${kept}`);
  await git(worktree.folder, "reset", "--quiet", "--hard", head);
  const evidence = await examine(attempt, worktree, outcome, head);
  const verdict = outcome.result.verify_result;
  const test = testOf(evidence);
  evidence.details.verdict = verdict ?? null;
  const isSeen = test !== undefined || (verdict !== undefined && verdict !== "EMPTY");
  if (test?.passed === false) return { evidence, isSeen, failure: refusalOf(evidence, "") };
  if (verdict === undefined || passes(verdict, required)) {
    return { evidence, isSeen, failure: undefined };
  }
  const failure_reason = outcome.result.summary ?? `What was to be verified is ${verdict}`;
  return { evidence, isSeen, failure: { failure_class: "verification_failed", failure_reason } };
}

function passes(verdict: VerifyResult, required: Requirement): boolean {
  if (required === "ANY" || verdict === "ALIGNED" || verdict === "EMPTY") return true;
  return verdict === "PARTIAL" && required === "ALIGNED_OR_PARTIAL";
}
