import { httpUrlSchema } from "~/contract/text";
import type { Attempt } from "../job/attempt";
import { runShown } from "../job/shown-command";
import { noSandbox } from "../sandbox/sandbox";
import type { Worktree } from "./worktree";

/** The address of the pull request, or why there is none although the product wants one. */
export type PullRequest = { url?: string; problem?: string };

/**
 * Runs the configured command when the product wants pull requests. It prints the address of the pull request of the
 * branch, a new one or the one that is open already. A command that fails leaves the job without one, and the person is told.
 */
export async function openPullRequest(attempt: Attempt, worktree: Worktree): Promise<PullRequest> {
  const { job, options, rules, journal } = attempt;
  if (!job.product.auto_pr) return {};
  const command = options.pullRequestCommand ?? rules.pr;
  if (command === undefined) {
    return { problem: "No pull request was opened: the worker has no --pr command." };
  }
  const isPersons = options.pullRequestCommand !== undefined;
  if (!isPersons && attempt.sandbox !== noSandbox) {
    return {
      problem: `No pull request was opened: the command of .backloom.yml needs your login, which is not in the sandbox. Start the worker with --pr '${command}'.`,
    };
  }
  const end = await runShown(attempt, {
    isPersons,
    kind: "command",
    title: `Pull request: ${command}`,
    command,
    folder: worktree.folder,
    environment: {
      BACKLOOM_BRANCH: worktree.branch,
      BACKLOOM_TITLE: titleOf(attempt),
      BACKLOOM_SPRINT_GOAL: job.run?.sprint_goal ?? "",
      BACKLOOM_PR_URL: job.pr_url ?? "",
    },
  });
  const url = /https?:\/\/\S+/.exec(end.output.split("\n").reverse().join("\n"))?.[0];
  if (end.exitCode === 0 && httpUrlSchema.safeParse(url).success) return { url };
  const problem = `No pull request was opened: the command ended with ${end.exitCode}${end.exitCode === 0 ? " and printed no address" : ""}.`;
  journal.say(problem);
  return { problem: `${problem}\n${end.output.slice(-2_000)}`.trim() };
}

/** A branch of the whole run is named after its sprint, others after their story. */
function titleOf({ job }: Attempt): string {
  const strategy = job.run?.pr_strategy ?? job.product.pr_strategy;
  if (strategy === "STORY" && job.story !== null) return `${job.story.code}: ${job.story.title}`;
  if (job.run === null) return `${job.task?.code}: ${job.task?.title}`;
  return job.run.sprint_id === null
    ? `Run of ${job.run.subject}`
    : `${job.run.sprint_code}: ${job.run.sprint_goal}`;
}
