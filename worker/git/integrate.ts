import { messageOf } from "../base/problems";
import { commitOf, committer, conflictedPaths, git, gitEnd, isAncestor } from "./git";
import { BranchInUse, begunFolder, fetchAll, requireFreeBranch, tipOf } from "./remote";
import type { Worktree } from "./worktree";

/** Where the work went, or which files conflict and with which commit. */
export type Integration = { kind: "pushed"; headSha: string } | { kind: "conflict"; files: string[]; theirs: string };

/** Whose work it is (a job, or one of its tasks), and the commit it begins at. */
export type Work = { name: string; base: string };

/** How often the branch may move during the attempt to push. */
const mostTries = 5;

/** The branch only moves forward from its last seen commit, so that a late attempt undoes nothing; else it rebases. */
export async function integrate(worktree: Worktree, work: Work): Promise<Integration> {
  const note = await noteOf(worktree, work.name, work.base);
  let seen = worktree.branchTip;
  for (let attempt = 0; ; attempt += 1) {
    const files = await bringOnto(worktree, seen);
    if (files.length > 0 && seen !== null) return { kind: "conflict", files, theirs: seen };
    const headSha = await git(worktree.folder, "rev-parse", "HEAD");
    // A remote may refuse the note, with the branch or alone; the work gets there all the same.
    const problem = await moveBranch(worktree, seen, headSha, attempt < mostTries ? note : null);
    if (problem !== null) seen = await refresh(worktree);
    if (problem === null || seen === headSha) {
      worktree.branchTip = headSha;
      return { kind: "pushed", headSha };
    }
    if (attempt === mostTries) {
      throw new Error(`The branch ${worktree.branch} could not be moved: ${messageOf(problem)}`);
    }
  }
}

/** Returns null if the branch was moved to the work, otherwise git's error. */
async function moveBranch(
  { folder, repository, branch }: Worktree,
  seen: string | null,
  headSha: string,
  note: string | null,
): Promise<unknown> {
  const ref = `refs/heads/${branch}`;
  const noteRef = begunRef(branch);
  const { remote } = repository;
  try {
    if (remote === null) {
      await requireFreeBranch(repository, branch);
      if (note !== null) await git(folder, "update-ref", noteRef, note);
      await git(folder, "update-ref", ref, headSha, seen ?? "0".repeat(headSha.length));
    } else {
      const lease = `--force-with-lease=${ref}:${seen ?? ""}`;
      const moves = [...(note === null ? [] : [`+${note}:${noteRef}`]), `${headSha}:${ref}`];
      await git(folder, "push", "--quiet", lease, remote, ...moves);
    }
    return null;
  } catch (error) {
    if (error instanceof BranchInUse) throw error;
    return error;
  }
}

async function refresh({ repository, branch }: Worktree): Promise<string | null> {
  await fetchAll(repository);
  return tipOf(repository, branch);
}

/** Rebases work that is not yet on the branch onto it, or merges if only that works. Returns the files in conflict. */
async function bringOnto({ folder, branchTip, main }: Worktree, onto: string | null): Promise<string[]> {
  if (onto === null || (await isAncestor(folder, onto, "HEAD"))) return [];
  try {
    await git(folder, ...committer, "rebase", "--quiet", "--onto", onto, branchTip ?? main);
    return [];
  } catch (error) {
    const inConflict = conflictedPaths(folder);
    const files = await inConflict.finally(() => git(folder, "rebase", "--abort").catch(() => undefined));
    if (files.length > 0) return (await merges(folder, onto)) ? [] : files;
    throw error;
  }
}

async function merges(folder: string, theirs: string): Promise<boolean> {
  const end = await gitEnd(folder, ...committer, "merge", "--quiet", "--no-edit", theirs);
  if (end.code === 0) return true;
  await git(folder, "merge", "--abort").catch(() => undefined);
  return false;
}

/** In the repository itself, so that only those who may push decide what a task's work is compared with. */
function begunRef(branch: string): string {
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
