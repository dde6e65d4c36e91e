import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ProductReference } from "~/wire/products/contract";
import { isForeign } from "~/wire/text";
import { isNamed } from "../base/allowed-repositories";
import { interruption } from "../base/interruption";
import { takeLock } from "../base/work-folder";
import { git, gitPaths, gitWithin } from "./git";
import { addTreeAt, referencesEnd, setWritable } from "./worktree";

/** Another repository than the job's, for reading only. */
export interface Reference {
  name: string;
  folder: string;
  sha: string;
  /** Removes the copy. Returns what was changed in it. */
  remove(): Promise<string[]>;
}

const mostBytes = 2e9;
const mostMinutes = 10;

/** What agents would take as settings or instructions of the job, at any depth and in any case of letters. */
const instructions = [
  ["claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", ".mcp.json", "opencode.json*"],
  [".claude", ".codex", ".gemini", ".opencode", ".agents", ".cursor", ".cursorrules", ".github/copilot-*"],
].flat();

interface Wanted {
  reference: ProductReference;
  /** Addresses that the worker's user has named. */
  named: readonly string[];
  /** Folder of clones, shared by all workers of the machine. */
  repositories: string;
  worktree: string;
  /** Runs the fetch, and ends it once a folder grows beyond so many gigabytes. */
  within<T>(folder: string, gigabytes: number, work: () => Promise<T>): Promise<T>;
}

/** Makes a copy for one job, so that none can change what others read. Fails with the reason in words. */
export async function addReference({ reference, named, repositories, worktree, within }: Wanted): Promise<Reference> {
  const { name, url, ref } = reference;
  if (!isForeign(url) || !isNamed(url, named)) throw new Error(`start the worker with --also-repo ${url}`);
  const cache = await openCache(repositories, url);
  const sha = await locked(`${cache}.lock`, () =>
    within(cache, mostBytes / 1e9, () => newestOf(cache, url, ref ?? "HEAD")),
  );
  const bytes = sizeOf(await git(cache, "ls-tree", "-r", "-l", sha));
  if (bytes > mostBytes) throw new Error("its files have more than 2 GB");
  const parent = `${worktree}${referencesEnd}`;
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const tree = await addTreeAt({ repository: { folder: cache, remote: null, base: null }, parent, name, commit: sha });
  const everywhere = instructions.flatMap((one) => [`:(icase,glob)**/${one}`, `:(icase,glob)**/${one}/**`]);
  await git(tree.folder, "rm", "-r", "--quiet", "--force", "--ignore-unmatch", "--", ...everywhere);
  await mkdir(tree.folder, { recursive: true });
  await setWritable(tree.folder, false);
  const remove = async () => {
    const changed = await changedIn(tree.folder).catch(() => [tree.folder]);
    await tree.remove();
    return changed.map((path) => join(name, path));
  };
  return { name, folder: tree.folder, sha, remove };
}

/** Runs nothing: the clone's attributes outrank the repository's, so no filter (LFS) starts; links become files. */
async function openCache(repositories: string, url: string): Promise<string> {
  const folder = join(repositories, `${createHash("sha256").update(url).digest("hex").slice(0, 16)}.read`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await git(repositories, "init", "--quiet", "--bare", "--template=", draft);
  for (const setting of ["core.symlinks", "core.fileMode", "core.autocrlf"])
    await git(draft, "config", setting, "false");
  await mkdir(join(draft, "info"), { recursive: true });
  await writeFile(join(draft, "info", "attributes"), "* -filter -text -ident -working-tree-encoding\n");
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return folder;
}

async function newestOf(cache: string, url: string, ref: string): Promise<string> {
  const kept = `refs/read/${createHash("sha256").update(ref).digest("hex").slice(0, 16)}`;
  const args = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
  const fetched = gitWithin(mostMinutes, cache, [...args, "--", url, `+${ref}:${kept}`]);
  const end = await fetched.finally(() => removeBroken(join(cache, "objects", "pack")));
  if (end.code !== 0) throw new Error(`it cannot be fetched here: ${end.problem.slice(-300)}`);
  return git(cache, "rev-parse", "--verify", `${kept}^{commit}`);
}

/** Git leaves what an interrupted fetch had received. */
async function removeBroken(packs: string): Promise<void> {
  const names = await readdir(packs).catch(() => []);
  for (const name of names) if (name.startsWith("tmp_")) await rm(join(packs, name), { force: true });
}

/** Two workers do not fetch into one clone at the same time. */
async function locked<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!(await takeLock(lock))) await wait(200, undefined, { signal: interruption() });
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function sizeOf(listed: string): number {
  return [...listed.matchAll(/^\d+ blob \w+ +(\d+)\t/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** Agents without a sandbox could write there all the same. */
async function changedIn(folder: string): Promise<string[]> {
  const changed = await gitPaths(folder, "diff", "--name-only");
  return [...changed, ...(await gitPaths(folder, "ls-files", "--others"))];
}
