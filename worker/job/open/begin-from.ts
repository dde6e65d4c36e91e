import type { ClaimedBeginning } from "~/wire/agent-jobs/beginning";
import { sendable } from "../../base/sendable";
import { commitOf, committer, git, gitEnd, gitPaths, isAncestor } from "../../git/git";
import { clashWith } from "../../git/merge-tree";
import { isOnMain } from "../../git/on-main";
import { isOwnBranch, tipOf } from "../../git/remote";
import type { Worktree } from "../../git/worktree";
import type { Attempt, Workspace } from "../attempt";
import { setUp } from "../commands";
import { reportClash } from "../deliver/conflicts";
import { pauseRun, pushOrSendHome } from "../deliver/deliver";
import { resolveInTurn } from "../deliver/resolve-conflict";
import { reportOnMain } from "../report/report-merged";
import { reportStart } from "../report/reports";
import type { Resolution } from "../turn/assignment";

interface Found extends ClaimedBeginning {
  commit: string;
}

/**
 * So that the judged commit itself is below the new work. Heads that conflict are resolved by a turn of the agent
 * before any task. Returns false if the attempt ends here: work is missing, or it was sent home.
 */
export async function beginFromEarlier(attempt: Attempt, workspace: Workspace): Promise<boolean> {
  const heads = attempt.job.begins_from ?? [];
  if (heads.length === 0) return true;
  const found = await findHeads(attempt, workspace, heads);
  if (found === null) return false;
  for (const head of await newestOf(workspace, found)) {
    const goesOn = await joinOne(attempt, workspace, head);
    if (!goesOn) return false;
  }
  workspace.start = await git(workspace.folder, "rev-parse", "HEAD");
  return true;
}

/** Base of the task's own earlier work if it was stopped before anyone judged it: then all of it counts as new. */
export function unjudgedBeginning({ job }: Attempt, { start }: Worktree): string | null {
  const own = job.begins_from?.find(({ head_sha }) => head_sha === start);
  return own?.task_id === job.task_id && !own.judged ? own.base_sha : null;
}

/** Heads that have not landed. If one is missing, pauses the run and returns null. */
async function findHeads(
  attempt: Attempt,
  worktree: Worktree,
  heads: readonly ClaimedBeginning[],
): Promise<Found[] | null> {
  const { folder, main } = worktree;
  const found: Found[] = [];
  const missing: ClaimedBeginning[] = [];
  for (const head of heads) {
    const commit = await commitIn(worktree, head);
    if (commit === null) missing.push(head);
    else if (await isOnMain(folder, main, commit)) {
      if (head.judged) await reportOnMain(head, attempt);
    } else found.push({ ...head, commit });
  }
  if (missing.length === 0) return found;
  await pauseForMissing(attempt, missing);
  return null;
}

/** Unjudged work may have been pushed differently since, so its branch's tip counts if the commit is gone. */
async function commitIn(
  { folder, repository }: Worktree,
  { head_sha, branch, judged }: ClaimedBeginning,
): Promise<string | null> {
  const commit = /^[0-9a-f]{7,64}$/.test(head_sha) ? await commitOf(folder, head_sha) : null;
  return commit ?? (judged || !isOwnBranch(branch, repository.prefix) ? null : tipOf(repository, branch));
}

/** Pauses the run instead of silently starting at the main branch without the missing work. */
async function pauseForMissing(attempt: Attempt, missing: readonly ClaimedBeginning[]): Promise<void> {
  const [first] = missing;
  if (first === undefined) return;
  const { task_code, story_code, branch, head_sha } = first;
  const others = missing.length === 1 ? "" : ` and ${missing.length - 1} more`;
  const what = `the work of ${task_code} (${head_sha.slice(0, 8)} on ${sendable(branch, 200)})${others}, which this run continues, is not in the repository of ${sendable(attempt.folder.workerName, 60)}`;
  attempt.journal.say(`The run is paused: ${what}`);
  const cure = `push that branch, or press "Start over from main" on ${story_code}`;
  await pauseRun(attempt, { files: [], release: true, reason: `${what}; ${cure}` });
}

/** Removes heads that another one contains; keeps the order. */
async function newestOf({ folder }: Worktree, found: readonly Found[]): Promise<Found[]> {
  if (found.length < 2) return [...found];
  const commits = found.map(({ commit }) => commit);
  const newest = (await git(folder, "merge-base", "--independent", ...commits)).split("\n");
  return found.filter(({ commit }, index) => newest.includes(commit) && commits.indexOf(commit) === index);
}

/** A new branch starts at the first head itself, so that the judged commit is the parent of the new work. */
async function joinOne(attempt: Attempt, workspace: Workspace, head: Found): Promise<boolean> {
  const { folder, main, branchTip } = workspace;
  const { commit, story_code, branch } = head;
  if (await isAncestor(folder, commit, "HEAD")) return true;
  const here = await git(folder, "rev-parse", "HEAD");
  if (branchTip === null && here === main) {
    await git(folder, "reset", "--quiet", "--hard", commit);
    attempt.journal.say(`Continues the work of ${story_code} from ${branch}`);
    return true;
  }
  const args = ["merge", "--quiet", "-m", `Bring in ${story_code} (${branch})`, commit];
  const merge = await gitEnd(folder, ...committer, ...args);
  if (merge.code === 0) {
    attempt.journal.say(`Merged the work of ${story_code} from ${branch}`);
    return true;
  }
  const files = await gitPaths(folder, "diff", "--name-only", "--diff-filter=U");
  if (files.length === 0) throw new Error(`git merge failed: ${merge.problem}`);
  const resolution = resolutionOf(attempt, head, files, here);
  if (resolution !== null) return resolveBeforeWork(attempt, workspace, resolution);
  await git(folder, "merge", "--abort");
  await sendHome(attempt, workspace, head, here);
  return false;
}

/** The merge started in the worktree, if the service has sent this conflict home before; otherwise null. */
function resolutionOf(
  { job, journal }: Pick<Attempt, "job" | "journal">,
  { branch, commit }: Found,
  files: string[],
  here: string,
): Resolution | null {
  const conflict = job.conflicts?.find((one) => one.kind === "sibling" && one.branch === branch);
  if (conflict === undefined) return null;
  journal.say(`Both versions of ${files.join(", ")} are in the worktree for the agent to merge`);
  return { conflict, theirs: commit, files, base: here };
}

/** Sends the job home with both versions. Undoes what was merged so far, as it can be merged again. */
async function sendHome(attempt: Attempt, worktree: Worktree, { branch, commit }: Found, here: string): Promise<void> {
  const { folder, branchTip, main } = worktree;
  const files = await clashWith(folder, commit, attempt.journal);
  await git(folder, "reset", "--quiet", "--hard", branchTip ?? main);
  await reportClash(attempt, worktree, { kind: "sibling", branch, theirs: commit, ours: here, files });
}

/** Resolves the conflict in an extra turn and pushes it before any task starts. */
async function resolveBeforeWork(attempt: Attempt, workspace: Workspace, resolution: Resolution): Promise<boolean> {
  await reportStart(attempt, workspace, undefined, workspace.branch);
  await setUp(attempt, workspace);
  if (!(await resolveInTurn(attempt, workspace, resolution))) return false;
  const base = await git(workspace.folder, "rev-parse", "HEAD");
  const push = await pushOrSendHome(attempt, workspace, { name: attempt.job.id, base });
  return push.kind === "pushed";
}
