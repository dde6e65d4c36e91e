import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ZodError } from "zod";
import { httpUrlSchema } from "~/wire/text";
import { uninterrupted } from "../../base/interruption";
import { messageOf } from "../../base/problems";
import { bringPull } from "../../forge/bring-pull";
import { ForgeProblem } from "../../forge/forge";
import { rememberCheckout } from "../../git/checkout";
import { git } from "../../git/git";
import { baseEnd, makeFolder, removeFolder, type Worktree } from "../../git/worktree";
import { noSandbox } from "../../sandbox/sandbox";
import type { Attempt, Workspace } from "../attempt";
import { runShown } from "../commands";

/** The pull request's URL, or why there is none although the product wants one. */
export type PullRequest = { url?: string; problem?: string };

/** At the Git host, or by the configured command, which prints its URL. Never fails the job: its summary says so. */
export async function openPullRequest(attempt: Attempt, workspace: Workspace): Promise<PullRequest> {
  const { job, options, journal } = attempt;
  const { rules, sandbox } = workspace;
  if (!wantsPulls(job.product)) return {};
  if (options.opensPulls) return openAtForge(attempt, workspace);
  const command = options.pullRequestCommand ?? rules.pr;
  if (command === undefined) {
    return { problem: "No pull request was opened: the worker has no --pr command. Start it with --pr." };
  }
  const isPersons = options.pullRequestCommand !== undefined;
  if (!isPersons && sandbox !== noSandbox) {
    return {
      problem: `No pull request was opened: the command of .backloom.yml needs your login, which is not in the sandbox. Start the worker with --pr '${command}'.`,
    };
  }
  const environment = {
    BACKLOOM_BRANCH: workspace.branch,
    BACKLOOM_TITLE: titleOf(attempt),
    BACKLOOM_SPRINT_GOAL: job.run?.sprint_goal ?? "",
    BACKLOOM_PR_URL: job.pr_url ?? "",
  };
  const shown = { isPersons, kind: "command" as const, title: `Pull request: ${command}`, command };
  const run = (folder: string) => runShown(attempt, { ...workspace, folder }, { ...shown, environment });
  const end = await (isPersons ? withoutFiles(workspace, run) : run(workspace.folder));
  const url = /https?:\/\/\S+/.exec(end.output.split("\n").reverse().join("\n"))?.[0];
  if (end.exitCode === 0 && httpUrlSchema.safeParse(url).success) return { url };
  const problem = `No pull request was opened: the command ended with ${end.exitCode}${end.exitCode === 0 ? " and printed no URL" : ""}.`;
  journal.say(problem);
  return { problem: `${problem}\n${end.output.slice(-2_000)}`.trim() };
}

function wantsPulls({ pull_requests, auto_pr }: Attempt["job"]["product"]): boolean {
  return pull_requests === undefined ? auto_pr : pull_requests !== "none";
}

async function openAtForge(attempt: Attempt, workspace: Workspace): Promise<PullRequest> {
  try {
    const { repository, branch, rules } = workspace;
    const isDraftFirst = attempt.job.product.pull_requests === "draft";
    const wanted = { branch, title: titleOf(attempt), isDraftFirst, stories: storiesOf(attempt.job) };
    const url = await bringPull({ ...attempt, repository, rules }, wanted);
    attempt.journal.say(`Pull request: ${url}`);
    return { url };
  } catch (error) {
    if (!(error instanceof ForgeProblem) && !(error instanceof ZodError)) throw error;
    const reason = error instanceof ZodError ? "the Git host answered something else than expected" : messageOf(error);
    const problem = `No pull request was opened: ${reason}.`;
    attempt.journal.say(problem);
    return { problem };
  }
}

function storiesOf({ story, executions }: Attempt["job"]) {
  if (story !== null) return [story];
  const stories = new Map(
    (executions ?? []).map((one) => [
      one.story_id,
      { id: one.story_id, code: one.story_code, title: one.story_title, description: one.story_description },
    ]),
  );
  return [...stories.values()];
}

/** A branch of the whole run is titled by its sprint, others by their story. */
function titleOf({ job }: Pick<Attempt, "job">): string {
  const strategy = job.run?.pr_strategy ?? job.product.pr_strategy;
  if (strategy === "STORY" && job.story !== null) return `${job.story.code}: ${job.story.title}`;
  if (job.run === null) return `${job.task?.code}: ${job.task?.title}`;
  return job.run.sprint_id === null ? `Run of ${job.run.subject}` : `${job.run.sprint_code}: ${job.run.sprint_goal}`;
}

/** On the work's branch but without its files: git and commands with the user's login must act on none of them. */
async function withoutFiles<T>(
  { folder, repository, checkout, main }: Worktree,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const bare = join(dirname(folder), `${basename(folder)}.pr${baseEnd}`);
  await removeFolder(repository.folder, bare);
  try {
    await makeFolder(bare, repository, ["--no-checkout", "--force", checkout], main);
    const own = await git(bare, "rev-parse", "--absolute-git-dir");
    const home = await git(bare, "rev-parse", "--path-format=absolute", "--git-common-dir");
    await mkdir(join(own, "info"), { recursive: true });
    await writeFile(join(own, "info", "sparse-checkout"), "!/*\n");
    // Otherwise the file would be put back before git's next call.
    await rememberCheckout(bare, { home, branch: null, isFresh: true });
    await git(bare, "-c", "core.sparseCheckout=true", "read-tree", "-m", "-u", "HEAD");
    return await use(bare);
  } finally {
    await uninterrupted(() => removeFolder(repository.folder, bare));
  }
}
