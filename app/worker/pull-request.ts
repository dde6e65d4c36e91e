import { httpUrlSchema } from "~/contract/text";
import { type Attempt, logFileOf } from "./attempt";
import { runCommand } from "./run-command";
import type { Worktree } from "./worktree";

/**
 * Runs the configured command when the product wants pull requests. It prints the address of the pull request of the
 * branch, a new one or the one that is open already. A command that fails leaves the job without one.
 */
export async function openPullRequest(
  attempt: Attempt,
  worktree: Worktree,
): Promise<string | undefined> {
  const { job, options, journal } = attempt;
  if (!job.product.auto_pr || options.pullRequestCommand === undefined) return undefined;
  const end = await runCommand({
    command: options.pullRequestCommand,
    folder: worktree.folder,
    environment: {
      BACKLOOM_BRANCH: worktree.branch,
      BACKLOOM_TITLE: titleOf(attempt),
      BACKLOOM_SPRINT_GOAL: job.run?.sprint_goal ?? "",
      BACKLOOM_PR_URL: job.pr_url ?? "",
    },
    logFile: logFileOf(attempt),
    timeoutMinutes: options.timeoutMinutes,
    signal: attempt.heartbeat.signal,
  });
  const address = /https?:\/\/\S+/.exec(end.output.split("\n").reverse().join("\n"))?.[0];
  if (end.exitCode === 0 && httpUrlSchema.safeParse(address).success) return address;
  journal.say(`No pull request was opened: the command ended with ${end.exitCode}`);
  return undefined;
}

/** A branch of the whole run is named after its sprint, others after their story. */
function titleOf({ job }: Attempt): string {
  if (job.product.pr_strategy === "STORY" && job.story !== null) {
    return `${job.story.code}: ${job.story.title}`;
  }
  return job.run === null
    ? `${job.task?.code}: ${job.task?.title}`
    : `${job.run.sprint_code}: ${job.run.sprint_goal}`;
}
