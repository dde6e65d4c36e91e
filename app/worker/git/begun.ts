import { commitOf, committer, git, isAncestor } from "./git";
import { begunFolder } from "./remote";
import type { Worktree } from "./worktree";

/**
 * Where the work that lies unfinished on a branch has begun, kept beside the branch in the repository itself: only who may
 * push there decides what the work of a task is compared with.
 */
export function begunRef(branch: string): string {
  return `${begunFolder}/${branch}`;
}

/** A commit that remembers whose work begins at its parent. */
export async function noteOf({ folder }: Worktree, work: string, base: string): Promise<string> {
  return git(folder, ...committer, "commit-tree", "-p", base, "-m", work, `${base}^{tree}`);
}

/** Where an earlier attempt at this work has begun, when what it pushed is still under the given commit. */
export async function beginningOf(worktree: Worktree, work: string, head: string) {
  const { folder, branch } = worktree;
  const note = await commitOf(folder, begunRef(branch));
  if (note === null) return head;
  const [base = "", noted] = (await git(folder, "log", "-1", "--format=%P%n%s", note)).split("\n");
  const isOurs = noted === work && (await isAncestor(folder, base, head));
  return isOurs ? base : head;
}
