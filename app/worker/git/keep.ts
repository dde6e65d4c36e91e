import { commitOf, git, isAncestor } from "./git";
import { type Repository, remoteOf } from "./repository";
import { commitLeftovers } from "./worktree";

/** Prefix of commit messages for uncommitted work. */
export const leftBy = "Left by attempt ";
const folderOfBranches = "backloom/kept";
/** As long as agents' output is kept; after that, nothing mentions the branch any more. */
const keptDays = 14;
/** Branch names per push. */
const namesAtOnce = 50;

/**
 * Keeps an attempt's commits and uncommitted work on a kept branch, however it ended. Returns the branch, or null if
 * everything is delivered or kept already. `destination` is the job's branch and `start` the commit the attempt began
 * at, if known.
 */
export async function keepWork(
  folder: string,
  name: string,
  destination: string | null,
  start?: string,
): Promise<string | null> {
  await git(folder, "rebase", "--abort").catch(() => undefined);
  await commitLeftovers(folder, `${leftBy}${name}`);
  const place = await git(folder, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD");
  const [head = "", current = ""] = place.split("\n");
  if (head === start || (await isElsewhere(folder, head, { name, destination, current })))
    return null;
  const remote = await remoteOf(folder);
  const branch = await freeBranch({ folder, remote }, name, head);
  await git(folder, "update-ref", `refs/heads/${branch}`, head);
  if (remote === null) return branch;
  const words = ["push", "--quiet", "--no-verify", remote, `+${head}:refs/heads/${branch}`];
  const isPushed = await git(folder, ...words).then(
    () => true,
    () => false,
  );
  if (isPushed) await git(folder, "branch", "--quiet", "-D", branch);
  return branch;
}

/** Finds a branch name that is free, or whose commits are part of what is kept now. */
async function freeBranch(
  { folder, remote }: Repository,
  name: string,
  head: string,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const branch = `${folderOfBranches}/${name}${number === 1 ? "" : `-${number}`}`;
    const there =
      (await commitOf(folder, `refs/heads/${branch}`)) ??
      (await commitOf(folder, `refs/remotes/${remote}/${branch}`));
    if (there === null || (await isAncestor(folder, there, head))) return branch;
  }
}

/**
 * True if the commit is on a branch that stays; the one checked out here is removed with the folder. Other jobs'
 * branches do not count: two jobs that make the same change within a second create the same commit, and each must name
 * its own branch.
 */
async function isElsewhere(
  folder: string,
  commit: string,
  { name, destination, current }: { name: string; destination: string | null; current: string },
): Promise<boolean> {
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

/**
 * Deletes kept branches older than two weeks, here and on the remote, except those of the `spared` jobs and checked-out
 * ones. A remote that refuses keeps them.
 */
export async function forgetKept(
  { folder, remote }: Repository,
  spared: readonly string[],
): Promise<void> {
  const oldest = Date.now() / 1000 - keptDays * 86_400;
  const own = `refs/heads/${folderOfBranches}/`;
  const theirs = `refs/remotes/${remote}/${folderOfBranches}/`;
  const format = "--format=%(committerdate:unix) %(refname)";
  const lines = await git(folder, "for-each-ref", format, own, theirs);
  const oldIn = (root: string): string[] =>
    lines.split("\n").flatMap((line) => {
      const [time, ref = ""] = line.split(" ");
      if (!ref.startsWith(root) || Number(time) > oldest) return [];
      const name = ref.slice(root.length);
      const isSpared = spared.some((id) => name.startsWith(`${id}-`));
      return isSpared ? [] : [`${folderOfBranches}/${name}`];
    });
  for (const name of oldIn(own)) {
    await git(folder, "branch", "--quiet", "-D", name).catch(() => undefined);
  }
  if (remote === null) return;
  const names = oldIn(theirs);
  for (let from = 0; from < names.length; from += namesAtOnce) {
    const some = names.slice(from, from + namesAtOnce);
    const words = ["push", "--quiet", "--no-verify", remote, "--delete", ...some];
    await git(folder, ...words).catch(() => undefined);
  }
}

/** Kept branches of earlier attempts at the same work that are not merged yet. */
export async function findKept(
  { folder, remote }: Repository,
  jobIds: readonly string[],
): Promise<string[]> {
  const roots = ["refs/heads", ...(remote === null ? [] : [`refs/remotes/${remote}`])];
  const patterns = roots.flatMap((root) =>
    jobIds.map((id) => `${root}/${folderOfBranches}/${id}-*`),
  );
  const words = ["--sort=-committerdate", "--format=%(refname:short)", "--no-merged", "HEAD"];
  const names = (await git(folder, "for-each-ref", ...words, ...patterns)).split("\n");
  return names.filter((name) => name !== "").slice(0, 5);
}
