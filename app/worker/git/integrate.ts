import { messageOf } from "../service/problems";
import { begunRef, noteOf } from "./begun";
import { committer, conflictedPaths, git, gitEnd, isAncestor } from "./git";
import { fetchAll, tipOf } from "./remote";
import type { Worktree } from "./worktree";

/** Where the work went, or which files stood in its way, and the commit that they belong to. */
export type Integration =
  | { kind: "pushed"; headSha: string }
  | { kind: "conflict"; files: string[]; theirs: string };

/** Whose work it is (a job, or a task of one), and where it begins. */
export interface Work {
  name: string;
  base: string;
}

/** How often the branch may move on under our hands before we give up. */
const mostTries = 5;

/**
 * Moves the branch of the job to the work: by push, or in the repository itself. The branch only ever moves forward from
 * where we saw it, so that a late attempt cannot undo the work of another. When it has moved meanwhile the work is rebased.
 */
export async function integrate(worktree: Worktree, work: Work): Promise<Integration> {
  const note = await noteOf(worktree, work.name, work.base);
  let seen = worktree.branchTip;
  for (let attempt = 0; ; attempt += 1) {
    const files = await bringOnto(worktree, seen);
    if (files.length > 0 && seen !== null) return { kind: "conflict", files, theirs: seen };
    const headSha = await git(worktree.folder, "rev-parse", "HEAD");
    const problem = await moveBranch(worktree, seen, headSha, note);
    // A remote that takes no note, only branches, has the work all the same.
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

/** Null when the branch was where we saw it and is at the work now, else what git said. */
async function moveBranch(
  { folder, repository, branch }: Worktree,
  seen: string | null,
  headSha: string,
  note: string,
): Promise<unknown> {
  const ref = `refs/heads/${branch}`;
  const noteRef = begunRef(branch);
  const { remote } = repository;
  try {
    if (remote === null) {
      await git(folder, "update-ref", noteRef, note);
      await git(folder, "update-ref", ref, headSha, seen ?? "0".repeat(headSha.length));
    } else {
      const lease = `--force-with-lease=${ref}:${seen ?? ""}`;
      const moves = [`+${note}:${noteRef}`, `${headSha}:${ref}`];
      await git(folder, "push", "--quiet", lease, remote, ...moves);
    }
    return null;
  } catch (error) {
    return error;
  }
}

async function refresh({ repository, branch }: Worktree): Promise<string | null> {
  await fetchAll(repository);
  return tipOf(repository, branch);
}

/**
 * Moves what is not on the branch yet onto it: by a rebase, or by a merge where only that goes through. Answers the files in
 * conflict, none when it is there.
 */
async function bringOnto(
  { folder, branchTip, main }: Worktree,
  onto: string | null,
): Promise<string[]> {
  if (onto === null || (await isAncestor(folder, onto, "HEAD"))) return [];
  try {
    await git(folder, ...committer, "rebase", "--quiet", "--onto", onto, branchTip ?? main);
    return [];
  } catch (error) {
    const inConflict = conflictedPaths(folder);
    const files = await inConflict.finally(() =>
      git(folder, "rebase", "--abort").catch(() => undefined),
    );
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
