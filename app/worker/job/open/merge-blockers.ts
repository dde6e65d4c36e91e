import { commitOf, committer, conflictedPaths, git, isAncestor } from "../../git/git";
import type { Worktree } from "../../git/worktree";
import type { Attempt } from "../attempt";
import { pauseForConflict } from "../deliver/deliver";

type BaseRef = NonNullable<Attempt["job"]["base_refs"]>[number];

/**
 * Merges the blockers' work that the branch lacks: done elsewhere does not mean it is here. The attempt starts after
 * that, so that its own changes stay separate. Returns false if two conflict and the run is paused.
 */
export async function mergeBlockers(attempt: Attempt, worktree: Worktree): Promise<boolean> {
  const merged: string[] = [];
  for (const ref of attempt.job.base_refs ?? []) {
    const files = await mergeOne(attempt, worktree, ref);
    if (files.length > 0) {
      const others = merged.length > 0 ? merged.join(", ") : worktree.branch;
      await pauseForConflict(
        attempt,
        files,
        true,
        `${ref.task_code} does not merge with ${others}`,
      );
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
    const files = await inConflict.finally(() =>
      git(folder, "merge", "--abort").catch(() => undefined),
    );
    if (files.length > 0) return files;
    throw error;
  }
}
