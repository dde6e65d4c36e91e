import { conflictLimits } from "~/contract/job-conflict";
import { sprintRunSchema } from "~/contract/sprint-run";
import { findClashes, rebaseUnseen, tellClash } from "../git/conflicts";
import { git } from "../git/git";
import { integrate, type Work } from "../git/integrate";
import { clashWith } from "../git/merge-tree";
import { openPullRequest } from "../git/pull-request";
import type { Worktree } from "../git/worktree";
import { Refusal } from "../service/problems";
import { report } from "../service/reports";
import { sendable } from "../service/sendable";
import type { Assignment } from "./assignment";
import { type Attempt, reportUsage } from "./attempt";
import type { Delivery, Push } from "./delivery";

/**
 * Brings the work to its branch, looks whether it goes together with the main branch and the other branches of the run, and opens
 * a pull request where one is wanted.
 */
export async function deliver(attempt: Attempt, worktree: Worktree, work: Work): Promise<Delivery> {
  const unseen = await rebaseUnseen(attempt, worktree, work);
  const push = await pushOrSendHome(attempt, worktree, unseen);
  if (push.kind === "sent_home") return push;
  for (const clash of await findClashes(attempt, worktree)) {
    if ((await tellClash(attempt, worktree, clash)) !== "go_on") return { kind: "sent_home" };
  }
  return { ...push, pullRequest: await openPullRequest(attempt, worktree) };
}

/** Brings the work to its branch. Where that has moved on differently the task goes back to work with both versions. */
export async function pushOrSendHome(
  attempt: Attempt,
  worktree: Worktree,
  work: Work,
): Promise<Extract<Push, { kind: "pushed" }> | { kind: "sent_home" }> {
  const push = await pushWork(attempt, worktree, work);
  if (push.kind === "pushed") return push;
  if (attempt.job.run === null) {
    await pauseForConflict(attempt, push.files, true);
    return { kind: "sent_home" };
  }
  const { theirs } = push;
  const files = await clashWith(worktree.folder, theirs, attempt.journal);
  const named = push.files.map((path) => ({ path: sendable(path, 1_000) }));
  await tellClash(attempt, worktree, {
    ...{ kind: "branch", theirs },
    files: files.length > 0 ? files : named.slice(0, conflictLimits.files),
  });
  return { kind: "sent_home" };
}

/** Brings the work to its branch, after asking once more whether the attempt still holds the job. */
async function pushWork(attempt: Attempt, worktree: Worktree, work: Work): Promise<Push> {
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
  attempt.journal.say(`Merge conflict in ${files.join(", ")}: the run is paused`);
  await pauseRun(attempt, { files, release, reason });
}

interface Pause {
  files: readonly string[];
  /** Whether the job goes back to the queue. */
  release: boolean;
  reason: string;
}

/** Pauses the run: a person has to do something before it can go on. */
export async function pauseRun(attempt: Attempt, { files, release, reason }: Pause): Promise<void> {
  const { job, service, journal } = attempt;
  const kept = await attempt.keep();
  if (kept !== null) journal.say(`The work is kept on ${kept}`);
  await attempt.changes.send();
  await attempt.output.flush();
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
    if (release) await giveBack(attempt, reason);
  }
}

/** Back to the queue without a retry counted. */
async function giveBack(attempt: Attempt, failure_reason: string): Promise<void> {
  const resets_at = new Date().toISOString();
  await report(attempt, "failed", { failure_class: "rate_limited", failure_reason, resets_at });
}
