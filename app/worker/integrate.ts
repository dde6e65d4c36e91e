import { committer, git, isAncestor } from "./git";
import { tipOf, type Worktree } from "./worktree";

/** Where the work went, or which files stood in its way. */
export type Integration =
  | { kind: "pushed"; headSha: string }
  | { kind: "conflict"; files: string[] };

/** How often the branch may move on under our hands before we give up. */
const mostTries = 5;

/**
 * Moves the branch of the job to the work: by push, or in the repository itself. The branch only ever moves forward from
 * where we saw it, so that a late attempt cannot undo the work of another. When it has moved meanwhile the work is rebased.
 */
export async function integrate(worktree: Worktree): Promise<Integration> {
  let seen = worktree.branchTip;
  for (let attempt = 0; ; attempt += 1) {
    const headSha = await git(worktree.folder, "rev-parse", "HEAD");
    if (await moveBranch(worktree, seen, headSha)) {
      worktree.branchTip = headSha;
      return { kind: "pushed", headSha };
    }
    if (attempt === mostTries) throw new Error(`The branch ${worktree.branch} could not be moved`);
    seen = await refresh(worktree);
    if (seen === null || (await isAncestor(worktree.folder, seen, headSha))) continue;
    const files = await rebase(worktree, seen);
    if (files.length > 0) return { kind: "conflict", files };
  }
}

async function moveBranch(
  { folder, repository, branch }: Worktree,
  seen: string | null,
  headSha: string,
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const words =
    repository.remote === null
      ? ["update-ref", ref, headSha, seen ?? "0".repeat(40)]
      : [
          "push",
          "--quiet",
          `--force-with-lease=${ref}:${seen ?? ""}`,
          repository.remote,
          `${headSha}:${ref}`,
        ];
  return git(folder, ...words).then(
    () => true,
    () => false,
  );
}

async function refresh({ repository, branch }: Worktree): Promise<string | null> {
  if (repository.remote !== null) {
    await git(repository.folder, "fetch", "--quiet", repository.remote);
  }
  return tipOf(repository, branch);
}

/** Moves what is not on the branch yet. Answers the files in conflict, none when the rebase went through. */
async function rebase({ folder, branchTip, baseSha }: Worktree, onto: string): Promise<string[]> {
  try {
    await git(folder, ...committer, "rebase", "--quiet", "--onto", onto, branchTip ?? baseSha);
    return [];
  } catch (error) {
    const files = (await git(folder, "diff", "--name-only", "--diff-filter=U")).split("\n");
    await git(folder, "rebase", "--abort").catch(() => undefined);
    const named = files.filter((file) => file !== "");
    if (named.length > 0) return named;
    throw error;
  }
}
