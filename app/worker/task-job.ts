import { verificationSchema } from "~/contract/agent-job";
import { taskAssignment } from "./assignment";
import { type Attempt, execute, failureOf, type Outcome, park } from "./attempt";
import { beginningOf } from "./begun";
import { deliver, pauseForConflict, pushWork } from "./deliver";
import { examine, listedFiles } from "./evidence";
import type { Work } from "./integrate";
import { finish, reportFailure, reportStart } from "./reports";
import { commitLeftovers, type Worktree } from "./worktree";

/** One task: the command, the evidence, the gate, the branch, the report. */
export async function workOnTask(attempt: Attempt, worktree: Worktree): Promise<void> {
  const { job } = attempt;
  const assignment = taskAssignment(job);
  const work = { name: job.id, base: await beginningOf(worktree, job.id, worktree.start) };
  await reportStart(attempt, worktree);
  if (job.task?.status === "done") return passOver(attempt, worktree);
  const outcome = await execute(attempt, assignment, worktree.folder, {
    BACKLOOM_BASE_SHA: work.base,
  });
  const failure = failureOf(outcome);
  if (failure !== undefined) return reportFailure(attempt, failure, outcome.result);
  await commitLeftovers(worktree.folder, `${assignment.taskCode}: ${assignment.title}`);
  if (outcome.result.question !== undefined) {
    const push = await pushWork(attempt, worktree, work);
    // The person hears of both: the conflict would not go away by waiting for the answer.
    if (push.kind === "conflict") await pauseForConflict(attempt, push.files, false);
    return park(attempt, assignment, outcome.result);
  }
  await conclude(attempt, worktree, work, outcome);
}

async function conclude(
  attempt: Attempt,
  worktree: Worktree,
  work: Work,
  outcome: Outcome,
): Promise<void> {
  const evidence = await examine(attempt, worktree, outcome, work.base);
  const verification = await verify(attempt, {
    verify_result: evidence.verifyResult,
    changed_files: listedFiles(evidence),
    evidence: evidence.details,
    base_sha: work.base,
    head_sha: evidence.headSha,
  });
  if (verification.report === null) {
    const failure = { failure_class: "verification_failed", failure_reason: verification.hint };
    return reportFailure(attempt, failure, outcome.result);
  }
  const delivery =
    evidence.changedFiles.length > 0
      ? await deliver(attempt, worktree, work)
      : { kind: "nothing" as const };
  if (delivery.kind === "conflict") return pauseForConflict(attempt, delivery.files, true);
  await finish(attempt, verification.report, evidence, delivery, outcome.result);
}

/** Somebody finished the task by hand while its job waited: there is nothing left to do, and the next one is in turn. */
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
