import { commitOf, git, isAncestor } from "./git";
import { remoteOf } from "./repository";
import { commitLeftovers } from "./worktree";

const folderOfBranches = "backloom/kept";

/**
 * Keeps what an attempt has committed or left, whatever ended it, on a branch of its own. Answers the branch, or null when
 * everything is delivered or kept already. The destination is the branch of the job, where it is known.
 */
export async function keepWork(
  folder: string,
  name: string,
  destination: string | null,
): Promise<string | null> {
  await git(folder, "rebase", "--abort").catch(() => undefined);
  await commitLeftovers(folder, `Left by attempt ${name}`);
  const head = await git(folder, "rev-parse", "HEAD");
  if (await isElsewhere(folder, head, { name, destination })) return null;
  const branch = await freeBranch(folder, name, head);
  await git(folder, "update-ref", `refs/heads/${branch}`, head);
  const remote = await remoteOf(folder);
  if (remote === null) return branch;
  const words = ["push", "--quiet", "--no-verify", remote, `+${head}:refs/heads/${branch}`];
  const isPushed = await git(folder, ...words).then(
    () => true,
    () => false,
  );
  if (isPushed) await git(folder, "branch", "--quiet", "-D", branch);
  return branch;
}

/** What was kept before stays, unless it is part of what is kept now. */
async function freeBranch(folder: string, name: string, head: string): Promise<string> {
  const remote = await remoteOf(folder);
  for (let number = 1; ; number += 1) {
    const branch = `${folderOfBranches}/${name}${number === 1 ? "" : `-${number}`}`;
    const there =
      (await commitOf(folder, `refs/heads/${branch}`)) ??
      (await commitOf(folder, `refs/remotes/${remote}/${branch}`));
    if (there === null || (await isAncestor(folder, there, head))) return branch;
  }
}

/**
 * Whether a commit is on a branch that stays: the one that is checked out here goes with the folder. A branch of another job
 * does not count: two that make the same change within a second have made the very same commit, and each is told where its own is.
 */
async function isElsewhere(
  folder: string,
  commit: string,
  { name, destination }: { name: string; destination: string | null },
): Promise<boolean> {
  const current = await git(folder, "symbolic-ref", "--quiet", "HEAD").catch(() => "");
  const format = "--format=%(refname)";
  const words = ["for-each-ref", format, "--contains", commit, "refs/heads", "refs/remotes"];
  const names = (await git(folder, ...words)).split("\n");
  return names.some((ref) => {
    if (ref === "" || ref === current) return false;
    const [, branch] = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref) ?? [];
    if (branch === undefined || !branch.startsWith("backloom/")) return true;
    return branch === destination || branch.startsWith(`${folderOfBranches}/${name}`);
  });
}

/** The branches that earlier attempts at the same work have left and that are not part of it yet. */
export async function findKept(folder: string, jobIds: readonly string[]): Promise<string[]> {
  const remote = await remoteOf(folder);
  const roots = ["refs/heads", ...(remote === null ? [] : [`refs/remotes/${remote}`])];
  const patterns = roots.flatMap((root) =>
    jobIds.map((id) => `${root}/${folderOfBranches}/${id}-*`),
  );
  const words = ["--sort=-committerdate", "--format=%(refname:short)", "--no-merged", "HEAD"];
  const names = (await git(folder, "for-each-ref", ...words, ...patterns)).split("\n");
  return names.filter((name) => name !== "").slice(0, 5);
}
