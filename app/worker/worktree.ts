import { appendFile, chmod, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { contextFolder } from "./context-files";
import { commitOf, committer, git } from "./git";
import { uninterrupted } from "./interruption";
import { fetchAll, tipOf } from "./remote";
import type { Repository } from "./repository";

/** A checkout for one attempt, apart from every other attempt and from the person's own checkout. */
export interface Worktree {
  folder: string;
  repository: Repository;
  /** Where the work goes. */
  branch: string;
  /** The local branch that is checked out. */
  checkout: string;
  /** Where we last saw or left the branch, null while it does not exist. */
  branchTip: string | null;
  /** Where this attempt begins. */
  start: string;
  /** The main branch, which people have looked at. */
  main: string;
  remove(): Promise<void>;
}

interface WorktreeWish {
  repository: Repository;
  parent: string;
  name: string;
  branch: string;
}

/** Makes the worktree on the branch of the job: on its tip when an earlier job or run has left it, else on the main branch. */
export async function addWorktree(wish: WorktreeWish): Promise<Worktree> {
  const { repository, branch } = wish;
  const folder = join(wish.parent, wish.name);
  await removeFolder(repository.folder, folder);
  await fetchAll(repository);
  const branchTip = await tipOf(repository, branch);
  const main = await mainOf(repository);
  const start = branchTip ?? main;
  const checkout = await checkoutName(repository, branch, wish.name);
  const remove = async () => {
    await removeFolder(repository.folder, folder);
    await git(repository.folder, "branch", "--quiet", "-D", checkout).catch(() => undefined);
  };
  await wholeOrNot(remove, async () => {
    // Two steps, each of which may be taken again while another worker makes a worktree.
    await git(repository.folder, "branch", "--no-track", checkout, start);
    await git(repository.folder, "worktree", "add", "--quiet", folder, checkout);
    await track(repository, checkout, branch);
    await excludeContext(folder);
  });
  return { folder, repository, branch, checkout, branchTip, start, main, remove };
}

/** A checkout of the main branch to look at. Nothing in it can be kept. */
export async function addReadingTree(wish: Omit<WorktreeWish, "branch">) {
  const { repository } = wish;
  const folder = join(wish.parent, wish.name);
  await removeFolder(repository.folder, folder);
  await fetchAll(repository);
  const main = await mainOf(repository);
  const remove = () => uninterrupted(() => removeFolder(repository.folder, folder));
  await wholeOrNot(remove, async () => {
    await git(repository.folder, "worktree", "add", "--quiet", "--detach", folder, main);
    await excludeContext(folder);
  });
  const context = join(folder, contextFolder);
  // The repository may have something else of this name.
  await rm(context, { recursive: true, force: true });
  await mkdir(context);
  await setWritable(folder, false);
  return { folder, remove };
}

/** Nothing is left of what was interrupted in its making. */
async function wholeOrNot(remove: () => Promise<void>, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (error) {
    await uninterrupted(remove);
    throw error;
  }
}

/**
 * The job's own branch where the work reaches it by a push only. Where there is no remote a commit would move it before the
 * work has passed, and where the person has such a branch it is left alone: then a name of our own.
 */
async function checkoutName({ folder, remote }: Repository, branch: string, name: string) {
  const own = `backloom/work/${name}`;
  if (remote === null || (await commitOf(folder, `refs/heads/${branch}`)) !== null) return own;
  return branch;
}

/** What programs such as `gh`, and a worker after a kill, look at to know where the branch goes. */
async function track({ folder, remote }: Repository, checkout: string, branch: string) {
  await git(folder, "config", `branch.${checkout}.remote`, remote ?? ".");
  await git(folder, "config", `branch.${checkout}.merge`, `refs/heads/${branch}`);
}

/** Where a branch that was checked out for an attempt goes, if that is known. */
export async function destinationOf(folder: string, checkout: string): Promise<string | null> {
  const name = `branch.${checkout}.merge`;
  const ref = await git(folder, "config", "--get", name).catch(() => "");
  return /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? null;
}

/** The files for the command lie inside the worktree, and git must not see them. */
async function excludeContext(folder: string): Promise<void> {
  const common = await git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir");
  const file = join(common, "info", "exclude");
  const line = `/${contextFolder}/`;
  const text = await readFile(file, "utf8").catch(() => "");
  if (text.split("\n").includes(line)) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
}

async function setWritable(folder: string, isWritable: boolean): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isSymbolicLink() || (!isWritable && entry.name === contextFolder)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await setWritable(path, isWritable);
    else await chmod(path, isWritable ? 0o644 : 0o444).catch(() => undefined);
  }
  await chmod(folder, isWritable ? 0o755 : 0o555).catch(() => undefined);
}

/** The main branch as it was fetched last. A clone that was made by hand may not know which of the remote's branches it is. */
export async function mainOf({ folder, remote }: Repository): Promise<string> {
  const name = `refs/remotes/${remote}/HEAD`;
  let main = remote === null ? null : await commitOf(folder, name);
  if (remote !== null && main === null) {
    await git(folder, "remote", "set-head", remote, "--auto").catch(() => undefined);
    main = await commitOf(folder, name);
  }
  const head = main ?? (await commitOf(folder, "HEAD"));
  if (head !== null) return head;
  throw new Error("The repository has no commit to begin from");
}

/** Commits what the command has left uncommitted, so that no work is lost. */
export async function commitLeftovers(folder: string, message: string): Promise<void> {
  if ((await git(folder, "status", "--porcelain")) === "") return;
  await git(folder, "add", "--all");
  await git(folder, ...committer, "commit", "--quiet", "--no-verify", "-m", message);
}

export async function removeFolder(home: string, folder: string): Promise<void> {
  // Forced twice: one whose making was killed midway is still locked.
  const words = ["worktree", "remove", "--force", "--force", folder];
  const isForgotten = await git(home, ...words).then(
    () => true,
    () => false,
  );
  await removeTree(folder);
  if (!isForgotten) await git(home, "worktree", "prune").catch(() => undefined);
}

/** Removes a folder with all that is in it; a checkout to read in is protected from everybody but root. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async () => {
    await setWritable(folder, true);
    await rm(folder, { recursive: true, force: true });
  });
}
