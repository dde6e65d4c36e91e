import { sprintRunSchema } from "~/contract/sprint-run";
import type { Assignment } from "./assignment";
import { type Attempt, reportUsage } from "./attempt";
import type { Delivery, Push } from "./delivery";
import { git } from "./git";
import { integrate, type Work } from "./integrate";
import { Refusal } from "./problems";
import { openPullRequest } from "./pull-request";
import { report } from "./reports";
import { sendable } from "./sendable";
import type { Worktree } from "./worktree";

/** Brings the work to its branch, and opens a pull request where one is wanted. */
export async function deliver(attempt: Attempt, worktree: Worktree, work: Work): Promise<Delivery> {
  const push = await pushWork(attempt, worktree, work);
  if (push.kind === "conflict") return push;
  return { ...push, pullRequest: await openPullRequest(attempt, worktree) };
}

/** Brings the work to its branch, after asking once more whether the attempt still holds the job. */
export async function pushWork(attempt: Attempt, worktree: Worktree, work: Work): Promise<Push> {
  await attempt.heartbeat.confirm();
  const integration = await integrate(worktree, work);
  if (integration.kind === "conflict") return integration;
  const { headSha } = integration;
  return { kind: "pushed", headSha, pushedAt: new Date().toISOString(), folder: worktree.folder };
}

/** What is there goes along before a question is asked. The person hears of a conflict too: no answer makes it go away. */
export async function pushQuestion(
  attempt: Attempt,
  worktree: Worktree,
  work: Work,
  { verifyOnly }: Assignment,
): Promise<void> {
  const head = await git(worktree.folder, "rev-parse", "HEAD");
  if (verifyOnly || head === (worktree.branchTip ?? worktree.start)) return;
  const push = await pushWork(attempt, worktree, work);
  if (push.kind === "conflict") await pauseForConflict(attempt, push.files, false);
}

/** Pauses the run with the files in question. The job goes back to the queue, unless it still has a question to ask. */
export async function pauseForConflict(
  attempt: Attempt,
  files: readonly string[],
  release: boolean,
  reason = "merge_conflict",
): Promise<void> {
  const { job, service, journal } = attempt;
  journal.say(`Merge conflict in ${files.join(", ")}: the run is paused`);
  const kept = await attempt.keep();
  if (kept !== null) journal.say(`The work is kept on ${kept}`);
  await attempt.changes.send();
  if (job.run === null) return;
  await reportUsage(attempt);
  const pause = {
    sprint_run_id: job.run.id,
    reason: reason.slice(0, 500),
    conflict_files: files.slice(0, 500).map((file) => sendable(file, 1_000)),
    ...(job.pr_url === null ? {} : { pr_url: job.pr_url }),
    job_id: job.id,
    attempt: job.attempt,
    release,
  };
  try {
    await service.call("pause_sprint_run", pause, sprintRunSchema);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 409) throw error;
    // A person was quicker: the run is paused already, and the job waits for its resume as well.
    await attempt.heartbeat.confirm();
    if (release) await giveBack(attempt, `Merge conflict in ${files.join(", ")}`);
  }
}

/** Back to the queue without a retry counted. */
async function giveBack(attempt: Attempt, failure_reason: string): Promise<void> {
  const resets_at = new Date().toISOString();
  await report(attempt, "failed", { failure_class: "rate_limited", failure_reason, resets_at });
}
