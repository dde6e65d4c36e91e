import { lstat, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { removeSpecialFiles } from "./special-files";

/**
 * A worktree as it was made. Its `.git` file, which says where its git folder is, lies where the agent writes: whoever puts another one
 * there would choose the configuration, and with it programs that git runs. So it is read once, from the repository's side.
 */
interface Checkout {
  gitFolder: string;
  /** The repository's own git folder. */
  home: string;
  /** The words of git for the hooks of the worktree's owner; none where no hooks run. */
  hooks: readonly string[];
  /** Files that say what git runs, as they were made; null for one that was not there. */
  files: [path: string, text: string | null][];
  /** Something has run in the folder since git was asked there last. */
  isTouched: boolean;
  /** Hears which files were removed because git would wait at them. */
  tell: (names: readonly string[]) => void;
}

const checkouts = new Map<string, Checkout>();

/** What no repository decides for the worker: which programs git runs beside itself, and whether it goes on into submodules. */
const ownWords = [
  ...["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"],
  ...["-c", "protocol.ext.allow=never"],
  ...["-c", "submodule.recurse=false", "-c", "push.recurseSubmodules=no"],
];

/** Remembers where the git folder of a worktree is. False when the repository has no such worktree. */
export async function rememberCheckout(
  folder: string,
  home: string,
  hooks: readonly string[] = [],
): Promise<boolean> {
  const gitFolder = await gitFolderOf(folder, home);
  if (gitFolder === null) return false;
  const ownConfig = join(gitFolder, "config.worktree");
  const files: Checkout["files"] = [
    [join(folder, ".git"), `gitdir: ${gitFolder}\n`],
    [ownConfig, await textOf(ownConfig)],
  ];
  const tell = () => undefined;
  checkouts.set(folder, { gitFolder, home, hooks, files, isTouched: true, tell });
  return true;
}

/** Says who hears of files that were removed from a worktree. */
export function hearRemoved(folder: string, tell: Checkout["tell"]): void {
  const checkout = checkouts.get(folder);
  if (checkout !== undefined) checkout.tell = tell;
}

/** A program has run in a folder: git is asked there after a look at what it has left. */
export function noteTouched(folder: string): void {
  const checkout = checkouts.get(folder);
  if (checkout !== undefined) checkout.isTouched = true;
}

export function forgetCheckout(folder: string): void {
  checkouts.delete(folder);
}

/** How git is started in a folder: in a worktree that was remembered, with the git folder that it was made with. */
export function gitStart(folder: string, words: readonly string[]) {
  const checkout = checkouts.get(folder);
  if (checkout === undefined) return { words: [...ownWords, ...words], environment: {} };
  const { gitFolder, home, hooks } = checkout;
  return {
    words: [...ownWords, ...hooks, `--git-dir=${gitFolder}`, `--work-tree=${folder}`, ...words],
    environment: { GIT_COMMON_DIR: home },
  };
}

/**
 * Puts the files back as they were made, `.git` first of all: what runs in the folder after an agent, a test for example, may ask git
 * as well.
 */
export async function mendGitFiles(folder: string): Promise<void> {
  const checkout = checkouts.get(folder);
  if (checkout === undefined || (await lstat(folder).catch(() => null)) === null) return;
  if (checkout.isTouched) {
    checkout.isTouched = false;
    // Git makes no links there, and would write through one: its index, its messages.
    await removeSpecialFiles(checkout.gitFolder, true);
    const removed = await removeSpecialFiles(folder);
    if (removed.length > 0) checkout.tell(removed);
  }
  for (const [path, text] of checkout.files) {
    if ((await textOf(path)) === text) continue;
    await rm(path, { recursive: true, force: true });
    if (text !== null) await writeFile(path, text);
  }
}

/** Null for what is no plain file. */
async function textOf(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() ? readFile(path, "utf8").catch(() => null) : null;
}

/** The repository notes of each of its worktrees where that is. */
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
