import { conflictLimits } from "~/wire/agent-jobs/job-conflict";
import { sprintRunSchema } from "~/wire/sprint-runs/contract";
import { Refusal } from "../../base/problems";
import { sendable } from "../../base/sendable";
import { git } from "../../git/git";
import { integrate, type Work } from "../../git/integrate";
import { clashWith } from "../../git/merge-tree";
import type { Worktree } from "../../git/worktree";
import type { Attempt, Workspace } from "../attempt";
import type { Delivery, Push } from "../report/reports";
import { report } from "../report/reports";
import { reportTotals } from "../report/usage";
import type { Assignment } from "../turn/assignment";
import { findClashes, rebaseUnseen, reportClash } from "./conflicts";
import { openPullRequest } from "./pull-request";

/** Pushes, checks that it merges with main and the run's other branches, and opens a pull request if wanted. */
export async function deliver(attempt: Attempt, workspace: Workspace, work: Work): Promise<Delivery> {
  const unseen = await rebaseUnseen(attempt, workspace, work);
  const push = await pushOrSendHome(attempt, workspace, unseen);
  if (push.kind === "sent_home") return push;
  for (const clash of await findClashes(attempt, workspace)) {
    if ((await reportClash(attempt, workspace, clash)) !== "go_on") return { kind: "sent_home" };
  }
  return { ...push, pullRequest: await openPullRequest(attempt, workspace) };
}

/** Pushes the work to its branch. On a conflict with what is there, sends the task home with both versions. */
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
  await reportClash(attempt, worktree, {
    kind: "branch",
    theirs,
    files: files.length > 0 ? files : named.slice(0, conflictLimits.files),
  });
  return { kind: "sent_home" };
}

/** Pushes the work to its branch, after confirming that the attempt still holds the job. */
async function pushWork(attempt: Attempt, worktree: Worktree, work: Work): Promise<Push> {
  await attempt.heartbeat.confirm();
  const integration = await integrate(worktree, work);
  if (integration.kind === "conflict") return integration;
  const { headSha } = integration;
  return { kind: "pushed", headSha, pushedAt: new Date().toISOString(), folder: worktree.folder };
}

/** Pushes existing work before a question is asked. A conflict pauses the run too, as no answer would resolve it. */
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

/** With `release`, the job returns to the queue; without, it still has a question to ask. */
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
  /** True to put the job back into the queue. */
  release: boolean;
  reason: string;
}

/** Pauses the run until a person acts. */
export async function pauseRun(attempt: Attempt, { files, release, reason }: Pause): Promise<void> {
  const { job, service, journal } = attempt;
  const kept = await attempt.keeper.keep();
  if (kept !== null) journal.say(`The work is kept on ${kept}`);
  await attempt.changes.send();
  await attempt.output.flush();
  if (job.run === null) return;
  await reportTotals(attempt);
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
    // A person has paused the run already; the job waits until it is resumed.
    await attempt.heartbeat.confirm();
    if (release) await report(attempt, "queued", { failure_reason: reason });
  }
}
