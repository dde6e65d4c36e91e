import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { uninterrupted } from "../base/interruption";
import { succeeds } from "../base/run";
import { markOf } from "../base/work-folder";
import { forgetCheckout, rememberCheckout } from "./checkout";
import { copiedEnd, sourceEnd } from "./copied";
import { commitOf, git } from "./git";
import { fetchAll, mainNameOf, mainRefOf, requireFreeBranch, requireRoom, tipOf, usualPrefix } from "./remote";
import type { Repository } from "./repository";
import { readRulesOf } from "./rules";

/** Folder of the context files, where a sandboxed agent may write. Excluded from git. */
export const contextFolder = ".backloom";

/** A checkout for one attempt, separate from all others and from the user's own. */
export interface Worktree {
  folder: string;
  repository: Repository;
  branch: string;
  /** The local branch that is checked out. */
  checkout: string;
  /** Last known tip of the branch; null while it does not exist. */
  branchTip: string | null;
  start: string;
  main: string;
  remove(): Promise<void>;
}

interface WorktreeOptions {
  repository: Repository;
  parent: string;
  name: string;
  branch: string;
  /** True to run the hooks of the repository's owner. */
  hooks?: boolean;
}

/**
 * Creates a worktree on the job's branch: at its tip if an earlier job or run left one, otherwise at the main branch.
 */
export async function addWorktree(options: WorktreeOptions): Promise<Worktree> {
  const { repository, branch } = options;
  const folder = join(options.parent, options.name);
  await requireFreeBranch(repository, branch);
  await removeFolder(repository.folder, folder);
  await fetchAll(repository);
  await requireRoom(repository, branch);
  const branchTip = await tipOf(repository, branch);
  const main = await mainOf(repository);
  const start = branchTip ?? main;
  const checkout = await checkoutName(repository, branch, options.name);
  const remove = removerOf(repository, folder, checkout);
  await wholeOrNot(remove, async () => {
    // Two steps, so that each can be retried while another worker makes a worktree.
    await git(repository.folder, "branch", "--no-track", checkout, start);
    await makeFolder(folder, repository, [checkout], main, options.hooks);
    await track(repository, checkout, branch);
  });
  return { folder, repository, branch, checkout, branchTip, start, main, remove };
}

/** Removes a worktree with its own branch. */
export function removerOf(repository: Repository, folder: string, checkout: string) {
  return async () => {
    await removeFolder(repository.folder, folder, checkout);
  };
}

/** Suffix of checkouts that contain no one's work. */
export const baseEnd = ".base";

/** Checkout of one commit to run commands in. Nothing in it is kept. */
export async function addTreeAt(options: Omit<WorktreeOptions, "branch"> & { commit: string }) {
  const { repository, commit } = options;
  const folder = join(options.parent, options.name);
  await removeFolder(repository.folder, folder);
  const remove = () => uninterrupted(() => removeFolder(repository.folder, folder));
  await wholeOrNot(remove, async () => {
    await makeFolder(folder, repository, ["--detach", commit], commit);
  });
  return { folder, remove };
}

/** Read-only checkout of the main branch. Nothing in it can be kept. */
export async function addReadingTree(options: Omit<WorktreeOptions, "branch">) {
  await fetchAll(options.repository);
  const commit = await mainOf(options.repository);
  const { folder, remove } = await addTreeAt({ ...options, commit });
  const context = join(folder, contextFolder);
  // The repository may have something else with this name.
  await rm(context, { recursive: true, force: true });
  await mkdir(context);
  await setWritable(folder, false);
  return { folder, remove };
}

/** Stores the repository first, so that the worker's next start need not trust the folder. */
export async function makeFolder(
  folder: string,
  repository: Repository,
  what: readonly string[],
  base: string,
  withHooks = false,
): Promise<void> {
  const args = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const home = await git(repository.folder, ...args);
  const branch = what.length === 1 ? `refs/heads/${what[0]}` : null;
  await writeNote(folder, { home, branch, base, prefix: repository.prefix });
  const hooks = withHooks ? await hooksOf(repository.folder, home) : [];
  const sparse = what.includes("--no-checkout") ? [] : await sparseOf(repository);
  const later = sparse.length === 0 ? [] : ["--no-checkout"];
  await git(repository.folder, ...hooks, "worktree", "add", "--quiet", ...later, folder, ...what);
  if (sparse.length > 0) {
    await git(folder, "sparse-checkout", "set", "--cone", "--skip-checks", ...sparse);
    await git(folder, "reset", "--quiet", "--hard");
  }
  await excludeContext(home);
  if (!(await rememberCheckout(folder, { home, branch, isFresh: true }, hooks))) {
    throw new Error(`${repository.folder} does not know the worktree that was made of it`);
  }
}

/** The folders that worktrees have, if the main branch names some. A mistake in its rules is reported when they are read. */
async function sparseOf(repository: Repository): Promise<readonly string[]> {
  return mainOf(repository)
    .then((main) => readRulesOf(repository.folder, main))
    .then(({ sparse }) => sparse)
    .catch(() => []);
}

/**
 * The hooks of the user's own checkout. A relative path is resolved there: in a worktree, an agent could write to it.
 */
async function hooksOf(folder: string, home: string): Promise<string[]> {
  const args = ["config", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const lines = (await git(folder, ...args).catch(() => "")).split("\n");
  const configured = lines.map((line) => line.split("\t")).filter(([scope]) => scope !== "command");
  const hooksPath = configured.at(-1)?.[1];
  return ["-c", `core.hooksPath=${hooksPath ? resolve(folder, hooksPath) : join(home, "hooks")}`];
}

async function wholeOrNot(remove: () => Promise<void>, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (error) {
    await uninterrupted(remove);
    throw error;
  }
}

/** The job's branch only if a push publishes it: else a commit would move it before the work passed, or a user's. */
async function checkoutName(repository: Repository, branch: string, name: string) {
  const { folder, remote, prefix = usualPrefix } = repository;
  const own = `${prefix}/work/${name}`;
  if (remote === null || (await commitOf(folder, `refs/heads/${branch}`)) !== null) return own;
  return branch;
}

/** Sets the upstream, for programs such as `gh` and for the worker's next start after a kill. */
async function track({ folder, remote }: Repository, checkout: string, branch: string) {
  await git(folder, "config", `branch.${checkout}.remote`, remote ?? ".");
  await git(folder, "config", `branch.${checkout}.merge`, `refs/heads/${branch}`);
}

/** The branch that a checked-out branch is pushed to, if known. */
export async function destinationOf(folder: string, checkout: string): Promise<string | null> {
  const name = `branch.${checkout}.merge`;
  const ref = await git(folder, "config", "--get", name).catch(() => "");
  return /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? null;
}

async function excludeContext(home: string): Promise<void> {
  const file = join(home, "info", "exclude");
  const line = `/${contextFolder}/`;
  const text = await readFile(file, "utf8").catch(() => "");
  if (text.split("\n").includes(line)) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
}

export async function setWritable(folder: string, isWritable: boolean): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isSymbolicLink() || (!isWritable && entry.name === contextFolder)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await setWritable(path, isWritable);
    else await chmod(path, isWritable ? 0o644 : 0o444).catch(() => undefined);
  }
  await chmod(folder, isWritable ? 0o755 : 0o555).catch(() => undefined);
}

/** The main branch as last fetched. */
export async function mainOf(repository: Repository): Promise<string> {
  const name = await mainNameOf(repository);
  if (name !== null) return git(repository.folder, "rev-parse", mainRefOf(repository, name));
  const head = await commitOf(repository.folder, "HEAD");
  if (head === null) throw new Error("The repository has no commit to begin from");
  const isDetached = (await git(repository.folder, "branch", "--show-current")) === "";
  if (isDetached) return head;
  throw new Error("The main branch is unknown: name it with `git config backloom.main <branch>` in the repository");
}

/** Suffix of a worktree whose removal has begun. Half of it would look like work that deletes files. */
export const goneEnd = ".gone";

/** Suffix of the folder next to a worktree with what is not part of its commit, while that is tested. */
export const asideEnd = ".aside";

/** Suffix of the folder next to a worktree with the repositories that its agent reads. */
export const referencesEnd = ".refs";

/** Removes a worktree, and the branch that was made for it. */
export async function removeFolder(home: string, folder: string, branch?: string): Promise<void> {
  forgetCheckout(folder);
  const gone = `${folder}${goneEnd}`;
  await removeTree(gone);
  await rename(folder, gone).catch(() => undefined);
  // Forced twice, because a worktree whose creation was killed is still locked.
  const args = ["worktree", "remove", "--force", "--force", folder];
  const isForgotten = await succeeds(git(home, ...args));
  await removeTree(gone);
  for (const end of [takenEnd, copiedEnd]) await rm(`${folder}${end}`, { force: true });
  // Git objects written by a sandboxed job, what was set aside, and what it read.
  for (const end of [".git", asideEnd, referencesEnd, sourceEnd]) await removeTree(`${folder}${end}`);
  if (!isForgotten) await git(home, "worktree", "prune").catch(() => undefined);
  if (branch) await git(home, "branch", "--quiet", "-D", branch).catch(() => undefined);
  // Last: this file says that the folder is in use.
  await rm(notePath(folder), { force: true });
}

/** Removes a folder and its content, even a write-protected read-only checkout. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async () => {
    await setWritable(folder, true);
    await rm(folder, { recursive: true, force: true });
  });
}

/** Where a worktree comes from. Stored next to it, so that no one need trust what a program wrote inside. */
interface WorktreeNote {
  /** The repository's git folder. */
  home: string;
  /** The branch it was made for; null if there is none. */
  branch: string | null;
  /** Commit of the main branch; empty if unknown. */
  base: string;
  /** Where the names of our branches begin; undefined for the usual one. */
  prefix: string | undefined;
  /** The process that made it (`markOf`). */
  maker: string;
}

export const noteEnd = ".home";

/** Suffix of the file next to a worktree that a person works in. */
export const takenEnd = ".taken";

function notePath(folder: string): string {
  return `${folder}${noteEnd}`;
}

async function writeNote(folder: string, { home, branch, base, prefix }: Omit<WorktreeNote, "maker">): Promise<void> {
  const lines = [home, branch ?? "", base, prefix ?? "", await markOf(process.pid)];
  await writeFile(notePath(folder), lines.join("\n"));
}

export async function noteOf(folder: string): Promise<WorktreeNote | null> {
  const text = await readFile(notePath(folder), "utf8").catch(() => null);
  if (text === null) return null;
  const [home = "", branch = "", base = "", prefix = "", maker = ""] = text.split("\n");
  return { home, branch: branch || null, base, prefix: prefix || undefined, maker };
}
