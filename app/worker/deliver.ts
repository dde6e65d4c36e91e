import { sprintRunSchema } from "~/contract/sprint-run";
import type { Attempt } from "./attempt";
import { integrate } from "./integrate";
import { openPullRequest } from "./pull-request";
import type { Worktree } from "./worktree";

/** Whether the work is on its branch. */
export type Push =
  | { kind: "conflict" }
  | { kind: "pushed"; headSha: string; pushedAt: string; folder: string };

/** Where the work of a job went. */
export type Delivery =
  | { kind: "nothing" }
  | Exclude<Push, { kind: "pushed" }>
  | (Extract<Push, { kind: "pushed" }> & { prUrl: string | undefined });

/** Brings the work to its branch, and opens a pull request where one is wanted. */
export async function deliver(attempt: Attempt, worktree: Worktree): Promise<Delivery> {
  const push = await pushWork(attempt, worktree);
  if (push.kind === "conflict") return push;
  return { ...push, prUrl: await openPullRequest(attempt, worktree) };
}

/**
 * Brings the work to its branch, after asking once more whether the attempt still holds the job. A conflict pauses the run
 * with the files in question, and the job goes back to the queue.
 */
export async function pushWork(attempt: Attempt, worktree: Worktree): Promise<Push> {
  await attempt.heartbeat.confirm();
  const integration = await integrate(worktree);
  if (integration.kind === "conflict") {
    await pauseForConflict(attempt, integration.files);
    return { kind: "conflict" };
  }
  const { headSha } = integration;
  return { kind: "pushed", headSha, pushedAt: new Date().toISOString(), folder: worktree.folder };
}

async function pauseForConflict(attempt: Attempt, files: readonly string[]): Promise<void> {
  const { job, service, journal } = attempt;
  journal.say(`Merge conflict in ${files.join(", ")}: the run is paused`);
  if (job.run === null) return;
  await service.call(
    "pause_sprint_run",
    {
      sprint_run_id: job.run.id,
      reason: "merge_conflict",
      conflict_files: files.slice(0, 500),
      ...(job.pr_url === null ? {} : { pr_url: job.pr_url }),
      job_id: job.id,
      attempt: job.attempt,
      release: true,
    },
    sprintRunSchema,
  );
}
