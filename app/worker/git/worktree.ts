import { appendFile, chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { uninterrupted } from "../job/interruption";
import { forgetCheckout, mendGitFiles, rememberCheckout } from "./checkout";
import { commitOf, committer, git, gitEnd, gitPaths } from "./git";
import { fetchAll, tipOf } from "./remote";
import type { Repository } from "./repository";

/** The folder of the files, where the sandbox of an agent may write; git is told to leave it out. */
export const contextFolder = ".backloom";

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
  /** Whether the hooks of the repository's owner run. */
  hooks?: boolean;
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
    await makeFolder(folder, repository, [checkout], wish.hooks);
    await track(repository, checkout, branch);
  });
  return { folder, repository, branch, checkout, branchTip, start, main, remove };
}

/** How the name of a checkout ends whose content is nobody's work. */
export const baseEnd = ".base";

/** A checkout of one commit to run commands in. Nothing in it is kept. */
export async function addTreeAt(wish: Omit<WorktreeWish, "branch"> & { commit: string }) {
  const { repository, commit } = wish;
  const folder = join(wish.parent, wish.name);
  await removeFolder(repository.folder, folder);
  const remove = () => uninterrupted(() => removeFolder(repository.folder, folder));
  await wholeOrNot(remove, async () => {
    await makeFolder(folder, repository, ["--detach", commit]);
  });
  return { folder, remove };
}

/** A checkout of the main branch to look at. Nothing in it can be kept. */
export async function addReadingTree(wish: Omit<WorktreeWish, "branch">) {
  await fetchAll(wish.repository);
  const commit = await mainOf(wish.repository);
  const { folder, remove } = await addTreeAt({ ...wish, commit });
  const context = join(folder, contextFolder);
  // The repository may have something else of this name.
  await rm(context, { recursive: true, force: true });
  await mkdir(context);
  await setWritable(folder, false);
  return { folder, remove };
}

/** The repository is noted before anything is made of it, so that a later life of the worker need not ask the folder. */
async function makeFolder(
  folder: string,
  repository: Repository,
  what: readonly string[],
  withHooks = false,
): Promise<void> {
  const words = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const home = await git(repository.folder, ...words);
  await writeFile(homeNoteOf(folder), home);
  const hooks = withHooks ? await hooksOf(repository.folder, home) : [];
  await git(repository.folder, ...hooks, "worktree", "add", "--quiet", folder, ...what);
  if (!(await rememberCheckout(folder, home, hooks))) {
    throw new Error(`${repository.folder} does not know the worktree that was made of it`);
  }
  await excludeContext(home);
}

/** The hooks of the person's own checkout: where their place is said relative to a worktree, an agent could write there. */
async function hooksOf(folder: string, home: string): Promise<string[]> {
  const words = ["config", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const lines = (await git(folder, ...words).catch(() => "")).split("\n");
  const said = lines.map((line) => line.split("\t")).filter(([scope]) => scope !== "command");
  const place = said.at(-1)?.[1];
  return ["-c", `core.hooksPath=${place ? resolve(folder, place) : join(home, "hooks")}`];
}

function homeNoteOf(folder: string): string {
  return `${folder}${homeNote}`;
}

/** Beside a worktree: the git folder of the repository that it was made of. */
export const homeNote = ".home";

export async function homeOf(folder: string): Promise<string | null> {
  return readFile(homeNoteOf(folder), "utf8").catch(() => null);
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
async function excludeContext(home: string): Promise<void> {
  const file = join(home, "info", "exclude");
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
  const unlike = ["--ignore-submodules=dirty"];
  if ((await git(folder, "status", "--porcelain", ...unlike)) === "") return;
  await stageAll(folder);
  if ((await gitEnd(folder, "diff", "--cached", "--quiet", ...unlike)).code === 0) return;
  await git(folder, ...committer, "commit", "--quiet", "--no-verify", "-m", message);
}

/**
 * Takes everything in the folder into the index. Of a submodule only its commit: whether it has changes git would find out by another
 * git inside of it, with a configuration that an agent may have written.
 */
export async function stageAll(folder: string): Promise<void> {
  const entries = await gitPaths(folder, "ls-files", "--stage");
  const submodules = entries.flatMap((entry) => /^160000 \w+ 0\t(.+)$/s.exec(entry)?.[1] ?? []);
  const others = submodules.map((path) => `:(exclude,top,literal)${path}`);
  await git(folder, "add", "--all", "--", ":/", ...others);
  if (submodules.length > 0) await git(folder, "update-index", "--remove", "--", ...submodules);
}

export async function removeFolder(home: string, folder: string): Promise<void> {
  await mendGitFiles(folder);
  forgetCheckout(folder);
  // Forced twice: one whose making was killed midway is still locked.
  const words = ["worktree", "remove", "--force", "--force", folder];
  const isForgotten = await git(home, ...words).then(
    () => true,
    () => false,
  );
  await removeTree(folder);
  await rm(homeNoteOf(folder), { force: true });
  // What a job in a sandbox has written to git.
  await rm(`${folder}.git`, { recursive: true, force: true });
  if (!isForgotten) await git(home, "worktree", "prune").catch(() => undefined);
}

/** Removes a folder with all that is in it; a checkout to read in is protected from everybody but root. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async () => {
    await setWritable(folder, true);
    await rm(folder, { recursive: true, force: true });
  });
}
