import { commitOf, git, isAncestor } from "./git";
import { type Repository, remoteOf } from "./repository";
import { commitLeftovers } from "./worktree";

/** How the commit of what was not committed begins. */
export const leftBy = "Left by attempt ";
const folderOfBranches = "backloom/kept";
/** As long as what an agent said is kept: then whoever would look for the branch finds no word of it any more. */
const keptDays = 14;
/** How many names go into one push. */
const namesAtOnce = 50;

/**
 * Keeps what an attempt has committed or left, whatever ended it, on a branch of its own. Answers the branch, or null when
 * everything is delivered or kept already. The destination is the branch of the job, and start the commit that it began at, where they are known.
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

/** What was kept before stays, unless it is part of what is kept now. */
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
 * Whether a commit is on a branch that stays: the one that is checked out here goes with the folder. A branch of another job
 * does not count: two that make the same change within a second have made the very same commit, and each is told where its own is.
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
 * Lets the branches go that attempts have left two weeks ago, here and in the remote; not those of the named jobs, nor one that
 * somebody has checked out. A remote that refuses keeps them.
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

/** The branches that earlier attempts at the same work have left and that are not part of it yet. */
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
