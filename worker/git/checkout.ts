import { chmod, lstat, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readPlain } from "../base/files";
import { followTraces, forgetTraces, type Traces } from "../base/process";

/** An agent could replace its `.git` file and so choose the config: the git folder is looked up once, from outside. */
interface Checkout {
  gitFolder: string;
  /** The repository's git folder. */
  home: string;
  /** The branch it was made for; null if there is none. */
  branch: string | null;
  /** Options for the hooks of the repository's owner; empty if no hooks run. */
  hooks: readonly string[];
  /** Files that affect what git runs, with their original text; null if missing. */
  files: [path: string, text: string | null][];
  traces: Traces;
  /** Resolves once the folder is as it should be; git waits for it, even where two are started at once. */
  cleaned: Promise<void>;
  /** The file of the whole repository that hides files from git, as it was when no program had run. */
  exclude: [path: string, text: string | null];
  /** Left for git itself to mend before its next call. */
  mending: Mending;
  /** Called with what the worker did to files that a program left, and their names. */
  report: (what: string, names: readonly string[]) => void;
}

interface Mending {
  /** A program may have hidden files in the index. */
  index: boolean;
  /** A rebase was undone whose files are still in the folder. */
  reset: boolean;
}

const checkouts = new Map<string, Checkout>();

/** Settings that no one else's may override: which programs git runs, what it finds, and how it merges and pushes. */
const ownArgs = [
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "protocol.ext.allow=never",
  // A key or its password may not be at hand, and the person has not seen what is committed here.
  "-c",
  "commit.gpgSign=false",
  "-c",
  "submodule.recurse=false",
  "-c",
  "push.recurseSubmodules=no",
  "-c",
  "status.showUntrackedFiles=normal",
  "-c",
  "commit.cleanup=whitespace",
  "-c",
  "merge.ff=true",
  "-c",
  "rebase.updateRefs=false",
  "-c",
  "push.gpgSign=false",
  // An agent's line ends do not refuse its work, and the person's tags are not ours to push.
  "-c",
  "core.safecrlf=false",
  "-c",
  "push.followTags=false",
];

/** Remembers a worktree's git folder. Returns false if the repository has no such worktree. */
export async function rememberCheckout(
  folder: string,
  { home, branch, isFresh = false }: Pick<Checkout, "home" | "branch"> & { isFresh?: boolean },
  hooks: readonly string[] = [],
): Promise<boolean> {
  const gitFolder = await gitFolderOf(folder, home);
  if (gitFolder === null) return false;
  const own = ["config.worktree", "info/sparse-checkout"].map((name) => join(gitFolder, name));
  const files: Checkout["files"] = [[join(folder, ".git"), `gitdir: ${gitFolder}\n`]];
  for (const path of own) files.push([path, await textOf(path)]);
  const excluding = join(home, "info", "exclude");
  const exclude: Checkout["exclude"] = [excluding, await textOf(excluding)];
  const report = () => undefined;
  const traces = followTraces(folder);
  traces.isTouched = !isFresh;
  const mending = { index: false, reset: false };
  const state = { traces, cleaned: Promise.resolve(), mending };
  checkouts.set(folder, { gitFolder, home, branch, hooks, files, exclude, ...state, report });
  return true;
}

/** Sets who is told of files in a worktree that are not taken as they are. */
export function reportFilesTo(folder: string, report: Checkout["report"]): void {
  const checkout = checkouts.get(folder);
  if (checkout !== undefined) checkout.report = report;
}

export function reporterOf(folder: string): Checkout["report"] {
  return checkouts.get(folder)?.report ?? (() => undefined);
}

export function forgetCheckout(folder: string): void {
  checkouts.delete(folder);
  forgetTraces(folder);
}

/** In a submodule git would use a config that a program may have written. Trap: `.gitmodules` beats the setting. */
function withoutInsides(args: readonly string[]): readonly string[] {
  let index = 0;
  while (args[index]?.startsWith("-")) index += 2;
  if (!["diff", "status"].includes(args[index] ?? "")) return args;
  return args.toSpliced(index + 1, 0, "--ignore-submodules=dirty");
}

/** How git starts for a folder. A remembered worktree uses its original git folder. */
export function gitStart(folder: string, given: readonly string[]) {
  const args = withoutInsides(given);
  const checkout = checkouts.get(folder);
  if (checkout === undefined) return { folder, args: [...ownArgs, ...args], environment: {} };
  const { gitFolder, home } = checkout;
  const { workTree, hooks } = hooksFor(folder, checkout, args);
  return {
    folder: workTree,
    args: [...ownArgs, ...hooks, `--git-dir=${gitFolder}`, `--work-tree=${workTree}`, ...args],
    environment: { GIT_COMMON_DIR: home },
  };
}

/** Hooks run outside the sandbox, with the user's login: after a program only at a push, where no job wrote any. */
function hooksFor(folder: string, { home, hooks, traces }: Checkout, args: readonly string[]) {
  if (!traces.isConfined || hooks.length === 0) return { workTree: folder, hooks };
  return args.includes("push") ? { workTree: home, hooks } : { workTree: folder, hooks: [] };
}

/** Restores the original files, `.git` first. Programs that run after an agent, such as tests, may call git too. */
export async function cleanGitFiles(folder: string): Promise<void> {
  const checkout = checkouts.get(folder);
  if (checkout === undefined || (await lstat(folder).catch(() => null)) === null) return;
  if (checkout.traces.isTouched) {
    checkout.traces.isTouched = false;
    checkout.cleaned = checkout.cleaned.then(() => cleanTouched(folder, checkout));
  } else checkout.exclude[1] = await textOf(checkout.exclude[0]);
  await checkout.cleaned.catch((error: unknown) => {
    checkout.traces.isTouched = true;
    checkout.cleaned = Promise.resolve();
    throw error;
  });
  for (const file of checkout.files) await putBack(file);
}

/** Returns false if the file is as it was. */
async function putBack([path, text]: Checkout["files"][number]): Promise<boolean> {
  if ((await textOf(path)) === text) return false;
  await rm(path, { recursive: true, force: true });
  if (text !== null) await writeFile(path, text);
  return true;
}

async function cleanTouched(folder: string, checkout: Checkout): Promise<void> {
  const { gitFolder, branch, mending, traces, exclude } = checkout;
  // Git creates no links in its folder, and would write through one (index, messages).
  await removeSpecialFiles(gitFolder, true);
  if (await cleanGitFolder(gitFolder, branch)) mending.reset = true;
  mending.index = true;
  // A confined program cannot write there: a new line is the person's.
  if (!traces.isConfined && (await putBack(exclude))) {
    checkout.report("Put back, because it hides files from Git", [exclude[0]]);
  }
  const removed = await removeSpecialFiles(folder);
  const title = "Removed: pipes, sockets and devices, which git would wait at";
  if (removed.length > 0) checkout.report(title, removed);
}

/** The mending that is due, once. */
export function takeMending(folder: string): Mending {
  const none = { index: false, reset: false };
  const checkout = checkouts.get(folder);
  if (checkout === undefined) return none;
  const { mending } = checkout;
  checkout.mending = none;
  return mending;
}

/** Returns null unless it is a regular file. */
async function textOf(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? readFile(path, "utf8").catch(() => null) : null;
}

/** Finds the worktree's git folder through the repository's list of worktrees. */
async function gitFolderOf(folder: string, home: string): Promise<string | null> {
  const wanted = join(await realpath(folder).catch(() => folder), ".git");
  const all = join(home, "worktrees");
  for (const name of await readdir(all).catch(() => [])) {
    const gitFolder = join(all, name);
    const noted = await readFile(join(gitFolder, "gitdir"), "utf8").catch(() => null);
    if (noted !== null && resolve(gitFolder, noted.trim()) === wanted) return gitFolder;
  }
  return null;
}

/** Git acts on what else it finds there: an operation that a program began may move any branch when it is ended. */
const mayStay = new Set([
  "HEAD",
  "index",
  "commondir",
  "gitdir",
  "config.worktree",
  "locked",
  "logs",
  "info",
  "modules",
  "reftable",
  "ORIG_HEAD",
  "FETCH_HEAD",
  "COMMIT_EDITMSG",
  "SQUASH_MSG",
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
]);
const partOfIndex = /^sharedindex\.[0-9a-f]{40,64}$/;

/** A rebase is undone, so that all the branch's commits count. Returns true if the worktree's files must follow. */
async function cleanGitFolder(gitFolder: string, branch: string | null): Promise<boolean> {
  const isRebased = branch !== null && (await isRebasing(gitFolder, branch));
  for (const name of await readdir(gitFolder).catch(() => [])) {
    if (mayStay.has(name) || partOfIndex.test(name)) continue;
    await rm(join(gitFolder, name), { recursive: true, force: true });
  }
  if (!isRebased) return false;
  await rm(join(gitFolder, "HEAD"), { recursive: true, force: true });
  await writeFile(join(gitFolder, "HEAD"), `ref: ${branch}\n`);
  return true;
}

async function isRebasing(gitFolder: string, branch: string): Promise<boolean> {
  const names = ["rebase-merge/head-name", "rebase-apply/head-name"];
  const read = (name: string) => readPlain(join(gitFolder, name), 5_000);
  const [head, ...rebased] = await Promise.all(["HEAD", ...names].map(read));
  return !head?.startsWith("ref: ") && rebased.some((text) => text?.trim() === branch);
}

/** All but files, folders and links, unopened: git reads `.gitattributes` anywhere and would block on a pipe. */
export async function removeSpecialFiles(folder: string, withLinks = false): Promise<string[]> {
  const removed: string[] = [];
  const look = async (below: string): Promise<void> => {
    const entries = await entriesOf(join(folder, below));
    for (const entry of entries) {
      const name = join(below, entry.name);
      if (entry.isDirectory()) await look(name);
      else if (!entry.isFile() && (await isInTheWay(join(folder, name), withLinks))) {
        await rm(join(folder, name), { force: true });
        removed.push(name);
      }
    }
  };
  await look("");
  return removed;
}

/** Without `withLinks`, removes a link only if git reads it by name and it leads to a special file. */
async function isInTheWay(path: string, withLinks: boolean): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return false;
  if (!found.isSymbolicLink() || withLinks) return true;
  if (!/\/\.(git\w*|mailmap)$/.test(path)) return false;
  const target = await stat(path).catch(() => null);
  return target !== null && !target.isFile() && !target.isDirectory();
}

/** Git opens files by name even in a folder that cannot be listed, so it is made listable. */
async function entriesOf(folder: string) {
  const list = () => readdir(folder, { withFileTypes: true });
  return list().catch(async () => {
    await chmod(folder, 0o755).catch(() => undefined);
    return list().catch(() => []);
  });
}
