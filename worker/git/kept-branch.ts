import { succeeds } from "../base/run";
import { commitLeftovers } from "./commit";
import { copiedInCommits } from "./copied";
import { commitOf, git, isAncestor } from "./git";
import { isOurs, usualPrefix } from "./remote";
import { type Repository, remotesOf } from "./repository";
import { noteOf } from "./worktree";

/** Prefix of commit messages for uncommitted work. */
export const leftBy = "Left by attempt ";
/** Hooks are the person's, and one that refuses must not cost an agent's work. */
const noHooks = ["-c", "core.hooksPath=/dev/null"];
const keptBelow = (prefix = usualPrefix): string => `${prefix}/kept`;
/** Another product's prefix may lead here, too. */
const attemptName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d/;
/** Suffix of what was checked out instead of the branch, next to the attempt's whole work. */
const aside = "-aside";
/** As long as agents' output is kept; after that, nothing mentions the branch any more. */
const keptDays = 14;
/** Branch names per push. */
const namesAtOnce = 50;

interface WorkToKeep {
  name: string;
  /** The local branch that was checked out; empty if none. */
  checkout: string;
  destination: string | null;
  /** Commit at which the attempt began, if known. */
  start?: string;
  /** Where the names of our branches begin. */
  prefix: string | undefined;
}

/** Returns the branch, or null if everything is delivered or kept already. Keeps what it can, even if this throws. */
export async function keepWork(folder: string, work: WorkToKeep): Promise<string | null> {
  const committing = commitLeftovers(folder, `${leftBy}${work.name}`, noHooks);
  const problem = await committing.then(
    () => null,
    (error: unknown) => error,
  );
  const head = await git(folder, "rev-parse", "HEAD");
  const whole = work.checkout === "" ? null : await commitOf(folder, `refs/heads/${work.checkout}`);
  // After a checkout of something else, the branch has commits that the checked-out commit lacks.
  const isOutside = whole === null || (await isAncestor(folder, whole, head));
  const branch = await keepCommit(folder, isOutside ? head : whole, work.name, work);
  const rest = isOutside ? null : await keepCommit(folder, head, `${work.name}${aside}`, work);
  if (problem !== null) throw problem;
  return branch ?? rest;
}

async function keepCommit(folder: string, commit: string, name: string, work: WorkToKeep): Promise<string | null> {
  if (commit === work.start || (await isElsewhere(folder, commit, work))) return null;
  const base = (await noteOf(folder))?.base;
  // What must not leave the machine is kept here alone.
  const isHeld = base !== undefined && (await copiedInCommits(folder, base || "HEAD")) !== null;
  const remote = isHeld ? null : (await remotesOf(folder)).remote;
  const branch = await freeBranch({ folder, remote, prefix: work.prefix }, name, commit);
  await git(folder, ...noHooks, "update-ref", `refs/heads/${branch}`, commit);
  if (remote === null) return branch;
  const args = ["push", "--quiet", "--no-verify", remote, `+${commit}:refs/heads/${branch}`];
  const isPushed = await succeeds(git(folder, ...args));
  if (isPushed) await git(folder, ...noHooks, "branch", "--quiet", "-D", branch);
  return branch;
}

/** Finds a branch name that is free, or whose commits are part of what is kept now. */
async function freeBranch(
  { folder, remote, prefix }: Omit<Repository, "base">,
  name: string,
  head: string,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const branch = `${keptBelow(prefix)}/${name}${number === 1 ? "" : `-${number}`}`;
    const there =
      (await commitOf(folder, `refs/heads/${branch}`)) ?? (await commitOf(folder, `refs/remotes/${remote}/${branch}`));
    if (there === null || (await isAncestor(folder, there, head))) return branch;
  }
}

/**
 * The branch checked out here is removed with the folder. Other jobs' do not count: two that make the same change
 * within a second create the same commit, and each must name its own branch.
 */
async function isElsewhere(
  folder: string,
  commit: string,
  { name, destination, checkout, prefix }: WorkToKeep,
): Promise<boolean> {
  const current = await git(folder, "rev-parse", "--symbolic-full-name", "HEAD");
  const format = "--format=%(refname)";
  const args = ["for-each-ref", format, "--contains", commit, "refs/heads", "refs/remotes"];
  const names = (await git(folder, ...args)).split("\n");
  return names.some((ref) => {
    if (ref === "" || ref === current || ref === `refs/heads/${checkout}`) return false;
    const [, branch] = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref) ?? [];
    if (branch === undefined || !isOurs(branch, prefix)) return true;
    return branch === destination || branch.startsWith(`${keptBelow(prefix)}/${name}`);
  });
}

/** After two weeks, here and on the remote, except `spared` jobs' and checked-out ones. A remote may refuse. */
export async function forgetKept({ folder, remote, prefix }: Repository, spared: readonly string[]): Promise<void> {
  const oldest = Date.now() / 1000 - keptDays * 86_400;
  const kept = keptBelow(prefix);
  const own = `refs/heads/${kept}/`;
  const theirs = `refs/remotes/${remote}/${kept}/`;
  const format = "--format=%(committerdate:unix) %(refname)";
  const lines = await git(folder, "for-each-ref", format, own, theirs);
  const oldIn = (root: string): string[] =>
    lines.split("\n").flatMap((line) => {
      const [time, ref = ""] = line.split(" ");
      if (!ref.startsWith(root) || Number(time) > oldest) return [];
      const name = ref.slice(root.length);
      const isSpared = !attemptName.test(name) || spared.some((id) => name.startsWith(`${id}-`));
      return isSpared ? [] : [`${kept}/${name}`];
    });
  for (const name of oldIn(own)) {
    await git(folder, "branch", "--quiet", "-D", name).catch(() => undefined);
  }
  if (remote === null) return;
  const names = oldIn(theirs);
  for (let from = 0; from < names.length; from += namesAtOnce) {
    const some = names.slice(from, from + namesAtOnce);
    const args = ["push", "--quiet", "--no-verify", remote, "--delete", ...some];
    await git(folder, ...args).catch(() => undefined);
  }
}

/** Kept branches of earlier attempts at the same work that are not merged yet. */
export async function findKept({ folder, remote, prefix }: Repository, jobIds: readonly string[]): Promise<string[]> {
  const roots = ["refs/heads", ...(remote === null ? [] : [`refs/remotes/${remote}`])];
  const patterns = roots.flatMap((root) => jobIds.map((id) => `${root}/${keptBelow(prefix)}/${id}-*`));
  const args = ["--format=%(refname:short)", "--no-merged", "HEAD"];
  const names = (await git(folder, "for-each-ref", ...args, ...patterns)).split("\n");
  return names
    .filter((name) => name !== "")
    .map((name) => ({ name, age: ageOf(name, jobIds) }))
    .sort((one, other) => compareAges(one.age, other.age))
    .map(({ name }) => name)
    .slice(0, 5);
}

/** Younger first, not by commits' dates: an attempt's may be older than what an earlier, killed one left. */
function ageOf(name: string, jobIds: readonly string[]): number[] {
  const job = jobIds.findIndex((id) => name.includes(`/${id}-`));
  const rest = name.slice(name.indexOf(jobIds[job] ?? "") + (jobIds[job] ?? "").length);
  const [, attempt = "0", number = "1"] = /^-(\d+)(?:[-.](\d+))?/.exec(rest) ?? [];
  return [rest.includes(aside) ? 1 : 0, job, -Number(attempt), -Number(number)];
}

function compareAges(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((part, at) => part !== other[at]);
  return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}
