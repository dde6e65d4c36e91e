import { commitOf, committer, conflictedPaths, git, gitEnd, isAncestor } from "../../git/git";
import { leftBy } from "../../git/kept-branch";
import { begunFolder, tipOf } from "../../git/remote";
import type { Worktree } from "../../git/worktree";
import type { Attempt } from "../attempt";
import { pauseForConflict } from "../deliver/deliver";

/** Where earlier attempts' work is now: in the folder, or only on branches. */
export type EarlierWork = { restored: readonly string[]; kept: readonly string[] };

/** The attempt's own changes still count from its start. Conflicting work stays on its branch; the prompt says so. */
export async function restoreWork(attempt: Attempt, worktree: Worktree, kept: readonly string[]): Promise<EarlierWork> {
  const { folder } = worktree;
  const done: string[] = [];
  for (const branch of [...kept.slice(0, 1), ...(await unfinishedBranches(attempt, worktree))]) {
    const commit = (await commitOf(folder, branch)) ?? (await tipOf(worktree.repository, branch));
    if (commit === null || (await isAncestor(folder, commit, "HEAD"))) continue;
    if (!(await bringIn(folder, branch, commit))) continue;
    attempt.journal.say(`Restored the work of an earlier attempt from ${branch}`);
    done.push(branch);
  }
  const left: string[] = [];
  for (const branch of kept) {
    if (!done.includes(branch) && !(await isAncestor(folder, branch, "HEAD"))) left.push(branch);
  }
  await uncommitLeftovers(folder);
  return { restored: done, kept: left };
}

/** Branches with unfinished work that earlier jobs pushed before a question, found by their notes. */
async function unfinishedBranches({ job }: Pick<Attempt, "job">, { folder, branch }: Worktree): Promise<string[]> {
  if (job.earlier_jobs.length === 0) return [];
  const format = `--format=%(subject) %(refname:lstrip=${begunFolder.split("/").length})`;
  const lines = (await git(folder, "for-each-ref", format, begunFolder)).split("\n");
  return lines.flatMap((line) => {
    const isEarlier = job.earlier_jobs.some((id) => line.startsWith(`${id} `));
    const name = line.slice(line.lastIndexOf(" ") + 1);
    return isEarlier && name !== branch ? [name] : [];
  });
}

async function bringIn(folder: string, branch: string, commit: string): Promise<boolean> {
  const args = ["merge", "--quiet", "-m", `Bring back ${branch}`, commit];
  if ((await gitEnd(folder, ...committer, ...args)).code === 0) return true;
  await git(folder, "merge", "--abort").catch(() => undefined);
  return false;
}

/** Uncommits leftovers, so that the agent finds its files as it left them and decides what to commit. */
async function uncommitLeftovers(folder: string): Promise<void> {
  const subject = await git(folder, "log", "-1", "--format=%s");
  if (subject.startsWith(leftBy)) await git(folder, "reset", "--quiet", "HEAD~1");
}

type BaseRef = NonNullable<Attempt["job"]["base_refs"]>[number];

/** Done elsewhere is not here. Before the attempt's start, so that its changes stay separate. False: two conflict. */
export async function mergeBlockers(attempt: Attempt, worktree: Worktree): Promise<boolean> {
  const merged: string[] = [];
  for (const ref of attempt.job.base_refs ?? []) {
    const files = await mergeOne(attempt, worktree, ref);
    if (files.length > 0) {
      const others = merged.length > 0 ? merged.join(", ") : worktree.branch;
      await pauseForConflict(attempt, files, true, `${ref.task_code} does not merge with ${others}`);
      return false;
    }
    merged.push(ref.task_code);
  }
  worktree.start = await git(worktree.folder, "rev-parse", "HEAD");
  return true;
}

/** Returns the files in conflict; empty if merged. */
async function mergeOne(
  { journal }: Pick<Attempt, "journal">,
  { folder, main }: Worktree,
  { task_code, branch, head_sha, merged }: BaseRef,
): Promise<string[]> {
  // Landed work may be on main as other commits, and changed since, so main itself is merged.
  const commit = merged ? main : await commitOf(folder, head_sha);
  if (commit === null) {
    journal.say(
      `The work of ${task_code} (${branch}, ${head_sha.slice(0, 8)}) is not in this repository; continuing without it`,
    );
    return [];
  }
  if (await isAncestor(folder, commit, "HEAD")) return [];
  try {
    const message = `Bring in ${task_code} (${branch})`;
    await git(folder, ...committer, "merge", "--quiet", "-m", message, commit);
    journal.say(`Merged the work of ${task_code} from ${branch}`);
    return [];
  } catch (error) {
    const inConflict = conflictedPaths(folder);
    const files = await inConflict.finally(() => git(folder, "merge", "--abort").catch(() => undefined));
    if (files.length > 0) return files;
    throw error;
  }
}
