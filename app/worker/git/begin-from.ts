import type { ClaimedBeginning } from "~/contract/beginning";
import type { Mending, Surroundings } from "../job/assignment";
import type { Attempt } from "../job/attempt";
import { pauseRun, pushOrSendHome } from "../job/deliver";
import { isOwnBranch } from "../job/heard-claim";
import { mendInTurn } from "../job/mend-batch";
import { reportStart } from "../service/reports";
import { sendable } from "../service/sendable";
import { tellClash } from "./conflicts";
import { commitOf, committer, git, gitEnd, gitPaths, isAncestor } from "./git";
import { clashWith } from "./merge-tree";
import { isOnMain } from "./on-main";
import { tipOf } from "./remote";
import { setUp } from "./set-up";
import { tellOnMain } from "./tell-merged";
import type { Worktree } from "./worktree";

/** A head that was found in the repository, at this commit. */
interface Found extends ClaimedBeginning {
  commit: string;
}

/**
 * Lets the attempt begin at what was done for its stories before and has not landed, so that whoever judged it finds that very
 * commit below what comes next. Several heads are joined; where they do not go together, a turn of the agent mends that before
 * any task is begun. False when the attempt ends here: the work is nowhere to be found, or it went home.
 */
export async function beginFromEarlier(
  attempt: Attempt,
  worktree: Worktree,
  surroundings: Surroundings,
): Promise<boolean> {
  const heads = attempt.job.begins_from ?? [];
  if (heads.length === 0) return true;
  const found = await findHeads(attempt, worktree, heads);
  if (found === null) return false;
  for (const head of await newestOf(worktree, found)) {
    const goesOn = await joinOne(attempt, worktree, head, surroundings);
    if (!goesOn) return false;
  }
  worktree.start = await git(worktree.folder, "rev-parse", "HEAD");
  return true;
}

/** Where the own work of the job's task begins, when it was stopped before anybody judged it: then all of it counts as new. */
export function unjudgedBeginning({ job }: Attempt, { start }: Worktree): string | null {
  const own = job.begins_from?.find(({ head_sha }) => head_sha === start);
  return own?.task_id === job.task_id && !own.judged ? own.base_sha : null;
}

/** The heads that have not landed; null when one of them is missing, and the run waits for a person. */
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
      if (head.judged) await tellOnMain(head, attempt);
    } else found.push({ ...head, commit });
  }
  if (missing.length === 0) return found;
  await pauseForMissing(attempt, missing);
  return null;
}

/** What nobody has judged may have been pushed differently since. */
async function commitIn(
  { folder, repository }: Worktree,
  { head_sha, branch, judged }: ClaimedBeginning,
): Promise<string | null> {
  const commit = /^[0-9a-f]{7,64}$/.test(head_sha) ? await commitOf(folder, head_sha) : null;
  return commit ?? (judged || !isOwnBranch(branch) ? null : tipOf(repository, branch));
}

/** Nobody begins at the main branch in silence because this repository lacks the work. */
async function pauseForMissing(
  attempt: Attempt,
  missing: readonly ClaimedBeginning[],
): Promise<void> {
  const [first] = missing;
  if (first === undefined) return;
  const { task_code, story_code, branch, head_sha } = first;
  const others = missing.length === 1 ? "" : ` and ${missing.length - 1} more`;
  const what = `the work of ${task_code} (${head_sha.slice(0, 8)} on ${sendable(branch, 200)})${others}, which this run continues, is not in the repository of ${sendable(attempt.folder.workerName, 60)}`;
  attempt.journal.say(`The run is paused: ${what}`);
  const cure = `push that branch, or press "Start over from main" on ${story_code}`;
  await pauseRun(attempt, { files: [], release: true, reason: `${what}; ${cure}` });
}

/** Without those that another one holds already, in their order. */
async function newestOf({ folder }: Worktree, found: readonly Found[]): Promise<Found[]> {
  if (found.length < 2) return [...found];
  const commits = found.map(({ commit }) => commit);
  const newest = (await git(folder, "merge-base", "--independent", ...commits)).split("\n");
  return found.filter(
    ({ commit }, place) => newest.includes(commit) && commits.indexOf(commit) === place,
  );
}

/** A branch that does not exist yet begins at the first head itself: what was judged is the parent of what follows. */
async function joinOne(
  attempt: Attempt,
  worktree: Worktree,
  head: Found,
  surroundings: Surroundings,
): Promise<boolean> {
  const { folder, main, branchTip } = worktree;
  const { commit, story_code, branch } = head;
  if (await isAncestor(folder, commit, "HEAD")) return true;
  const here = await git(folder, "rev-parse", "HEAD");
  if (branchTip === null && here === main) {
    await git(folder, "reset", "--quiet", "--hard", commit);
    attempt.journal.say(`Continues the work of ${story_code} from ${branch}`);
    return true;
  }
  const words = ["merge", "--quiet", "-m", `Bring in ${story_code} (${branch})`, commit];
  const merge = await gitEnd(folder, ...committer, ...words);
  if (merge.code === 0) {
    attempt.journal.say(`Merged the work of ${story_code} from ${branch}`);
    return true;
  }
  const files = await gitPaths(folder, "diff", "--name-only", "--diff-filter=U");
  if (files.length === 0) throw new Error(`git merge failed: ${merge.problem}`);
  const mending = mendingOf(attempt, head, files, here);
  if (mending !== null) return mendBeforeWork(attempt, worktree, surroundings, mending);
  await git(folder, "merge", "--abort");
  await sendHome(attempt, worktree, head, here);
  return false;
}

/** The merge that is begun in the worktree, where the service has sent it home for that before. */
function mendingOf(
  { job, journal }: Attempt,
  { branch, commit }: Found,
  files: string[],
  here: string,
): Mending | null {
  const conflict = job.conflicts?.find((one) => one.kind === "sibling" && one.branch === branch);
  if (conflict === undefined) return null;
  journal.say(`Both versions of ${files.join(", ")} are in the worktree for the agent to merge`);
  return { conflict, theirs: commit, files, base: here };
}

/** The job goes home with both versions. What was joined until then is joined again: there is nothing to keep of it. */
async function sendHome(
  attempt: Attempt,
  worktree: Worktree,
  { branch, commit }: Found,
  here: string,
): Promise<void> {
  const { folder, branchTip, main } = worktree;
  const files = await clashWith(folder, commit, attempt.journal);
  await git(folder, "reset", "--quiet", "--hard", branchTip ?? main);
  await tellClash(attempt, worktree, {
    kind: "sibling",
    branch,
    theirs: commit,
    ours: here,
    files,
  });
}

/** A turn of its own brings both together, and it is on the branch before any task is begun. */
async function mendBeforeWork(
  attempt: Attempt,
  worktree: Worktree,
  surroundings: Surroundings,
  mending: Mending,
): Promise<boolean> {
  await reportStart(attempt, undefined, worktree.branch);
  await setUp(attempt, worktree);
  if (!(await mendInTurn(attempt, worktree, surroundings, mending))) return false;
  const base = await git(worktree.folder, "rev-parse", "HEAD");
  const push = await pushOrSendHome(attempt, worktree, { name: attempt.job.id, base });
  return push.kind === "pushed";
}
