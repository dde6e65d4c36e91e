import { sprintRunSchema } from "~/contract/sprint-run";
import type { Attempt } from "./attempt";
import { integrate } from "./integrate";
import { openPullRequest } from "./pull-request";
import type { Worktree } from "./worktree";

/** Where the work of a job went. */
export type Delivery =
  | { kind: "nothing" }
  | { kind: "conflict" }
  | {
      kind: "pushed";
      headSha: string;
      pushedAt: string;
      prUrl: string | undefined;
      folder: string;
    };

/**
 * Brings the work to its branch, after asking once more whether the attempt still holds the job. A conflict pauses the run
 * with the files in question, and the job goes back to the queue.
 */
export async function deliver(attempt: Attempt, worktree: Worktree): Promise<Delivery> {
  await attempt.heartbeat.confirm();
  const integration = await integrate(worktree);
  if (integration.kind === "conflict") {
    await pauseForConflict(attempt, integration.files);
    return { kind: "conflict" };
  }
  const pushedAt = new Date().toISOString();
  const prUrl = await openPullRequest(attempt, worktree);
  return { kind: "pushed", headSha: integration.headSha, pushedAt, prUrl, folder: worktree.folder };
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
