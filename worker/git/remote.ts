import { existsSync } from "node:fs";
import { commitOf, git } from "./git";
import type { Repository } from "./repository";

export const begunFolder = "refs/backloom/begun";

/** Fetches all branches and notes, no matter what refspec the clone has. */
export async function fetchAll({ folder, remote, base }: Repository): Promise<void> {
  if (remote === null) return;
  const begun = `+${begunFolder}/*:${begunFolder}/*`;
  const branchesOf = (name: string) => `+refs/heads/*:refs/remotes/${name}/*`;
  await git(folder, "fetch", "--quiet", "--prune", remote, branchesOf(remote), begun);
  if (base === null || base === remote) return;
  await git(folder, "fetch", "--quiet", "--prune", base, branchesOf(base));
}

/** Where the names of our branches begin, unless the product says otherwise. */
export const usualPrefix = "backloom";

export function isOurs(branch: string, prefix = usualPrefix): boolean {
  return [usualPrefix, prefix].some((one) => branch.startsWith(`${one}/`));
}

/** True for branches below `backloom/` or the product's prefix, by the rules of `git check-ref-format`. */
export function isOwnBranch(branch: string, prefix?: string): boolean {
  const isWhole = /^[\x21-\x7e\u00a1-\uffff]+$/.test(branch) && branch.length <= 200;
  return isWhole && isOurs(branch, prefix) && !/[~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(branch);
}

/** Name of the main branch; null if unknown. Never a branch of ours, and the one checked out only if nothing else says. */
export async function mainNameOf(repository: Repository): Promise<string | null> {
  for await (const name of mainNames(repository)) {
    if (name === "" || isOurs(name)) continue;
    if ((await commitOf(repository.folder, mainRefOf(repository, name))) !== null) return name;
  }
  return null;
}

/** What may be the main branch, most certain first. `git config backloom.main` settles it. */
async function* mainNames({ folder, base: remote, prefix }: Repository): AsyncGenerator<string> {
  const answer = (...args: string[]) => git(folder, ...args).catch(() => "");
  yield await answer("config", "--get", "backloom.main");
  const root = remote === null ? "refs/heads/" : `refs/remotes/${remote}/`;
  const named = () => answer("symbolic-ref", "--quiet", `refs/remotes/${remote}/HEAD`);
  if (remote !== null) {
    // Manual clones may not know it, and it may have been renamed since: the remote is asked.
    if ((await commitOf(folder, `${root}HEAD`)) === null) await answer("remote", "set-head", remote, "--auto");
    yield (await named()).slice(root.length);
  }
  yield await answer("config", "--get", "init.defaultBranch");
  yield* ["main", "master"];
  const here = (await answer("symbolic-ref", "--quiet", "HEAD")).slice("refs/heads/".length);
  if (!isOurs(here, prefix)) yield here;
  const all = await answer("for-each-ref", "--format=%(refname)", root);
  const others = all.split("\n").map((ref) => ref.slice(root.length));
  const [only = "", ...more] = others.filter((name) => name !== "HEAD" && !isOurs(name, prefix));
  if (more.length === 0) yield only;
}

/** Null if nowhere: git would move it there without its files. A folder that is gone counts only if it is locked. */
export async function worktreeOfBranch(folder: string, branch: string): Promise<string | null> {
  const listed = await git(folder, "worktree", "list", "--porcelain");
  const found = listed.split("\n\n").find((one) => `${one}\n`.includes(`\nbranch refs/heads/${branch}\n`));
  const checkedOut = /^worktree (.*)$/m.exec(found ?? "")?.[1];
  if (checkedOut === undefined) return null;
  const isLocked = /^locked( |$)/m.test(found ?? "");
  const isHalfMade = /^locked initializing$/m.test(found ?? "");
  if (existsSync(checkedOut) || (isLocked && !isHalfMade)) return checkedOut;
  if (isHalfMade) await git(folder, "worktree", "unlock", checkedOut);
  await git(folder, "worktree", "prune");
  return null;
}

/** A branch of the person is where the job's must go. */
export class BranchInUse extends Error {}

/** Git stores branches as files, so that none can be next to branches below its name. */
export async function requireRoom({ folder, remote, prefix = usualPrefix }: Repository, branch: string): Promise<void> {
  const wanted = [branch, `${prefix}/kept/job`, `${prefix}/work/job`];
  const roots = ["refs/heads", ...(remote === null ? [] : [`refs/remotes/${remote}`])];
  const firsts = roots.map((root) => `${root}/${branch.split("/")[0]}`);
  const found = await git(folder, "for-each-ref", "--format=%(refname)", ...firsts);
  const names = found.split("\n").map((ref) => ref.replace(/^refs\/(heads|remotes\/[^/]+)\//, ""));
  const isInTheWay = (name: string) =>
    name.startsWith(`${branch}/`) || wanted.some((one) => one.startsWith(`${name}/`));
  const other = names.find(isInTheWay);
  if (other === undefined) return;
  throw new BranchInUse(
    `Git cannot have the branch ${branch} next to the branch ${other}: rename ${other}, and the job continues, or set another branch prefix (branch_prefix) in the product's settings and start a new run`,
  );
}

export async function requireFreeBranch(repository: Repository, branch: string): Promise<void> {
  if (repository.remote !== null) return;
  const checkedOut = await worktreeOfBranch(repository.folder, branch);
  if (checkedOut === null) return;
  throw new BranchInUse(
    `The branch ${branch} is checked out in ${checkedOut}: check out another one there, and the job continues`,
  );
}

/** Moves a branch to a commit that has its tip. Git refuses if it has moved otherwise: nothing is forced. */
export async function moveForward(
  repository: Repository,
  branch: string,
  tip: string | null,
  head: string,
): Promise<void> {
  const { folder, remote } = repository;
  const ref = `refs/heads/${branch}`;
  await requireFreeBranch(repository, branch);
  if (remote !== null) await git(folder, "push", "--quiet", remote, `${head}:${ref}`);
  else await git(folder, "update-ref", ref, head, tip ?? "0".repeat(head.length));
}

/** Tip of a branch: on the remote if there is one, otherwise in the repository. */
export async function tipOf(repository: Repository, branch: string) {
  return commitOf(repository.folder, refOf(repository, branch));
}

export function refOf({ remote }: Pick<Repository, "remote">, branch: string): string {
  return remote === null ? `refs/heads/${branch}` : `refs/remotes/${remote}/${branch}`;
}

export const mainRefOf = ({ base }: Repository, name: string): string => refOf({ remote: base }, name);
