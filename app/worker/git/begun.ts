import { commitOf, committer, git, isAncestor } from "./git";
import { begunFolder } from "./remote";
import type { Worktree } from "./worktree";

/**
 * Ref that stores where a branch's unfinished work begins. It is in the repository itself, so that only those who may
 * push there decide what a task's work is compared with.
 */
export function begunRef(branch: string): string {
  return `${begunFolder}/${branch}`;
}

/** Creates a commit that records whose work begins at its parent. */
export async function noteOf({ folder }: Worktree, work: string, base: string): Promise<string> {
  return git(folder, ...committer, "commit-tree", "-p", base, "-m", work, `${base}^{tree}`);
}

/** Where an earlier attempt at this work began, if what it pushed is still below `head`; otherwise `head`. */
export async function beginningOf(worktree: Worktree, work: string, head: string) {
  const { folder, branch } = worktree;
  const note = await commitOf(folder, begunRef(branch));
  if (note === null) return head;
  const [base = "", noted] = (await git(folder, "log", "-1", "--format=%P%n%s", note)).split("\n");
  const isOurs = noted === work && (await isAncestor(folder, base, head));
  return isOurs ? base : head;
}
