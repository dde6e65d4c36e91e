import { spawn } from "node:child_process";
import { copyFile, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { uninterrupted } from "../base/interruption";
import { cleanGitFiles, removeSpecialFiles } from "../git/checkout";
import { commitOf, git, gitEnvironment } from "../git/git";

/**
 * What a sandboxed job writes, next to its worktree: it reads the repository's objects and branches but changes none.
 * When a program ends, the worker takes over only the objects and the job's own branch.
 */
const storeSchema = z.object({
  folder: z.string(),
  /** The git folders of the worktree and its repository. */
  own: z.string(),
  common: z.string(),
  /** The job's branch; null for a read-only checkout. */
  branch: z.string().nullable(),
});
export type JobStore = z.output<typeof storeSchema>;

/** Outside the worktree, so that the job cannot tamper with it. */
function storeOf(folder: string): string {
  return `${folder}.git`;
}

export const objectsInside = "/run/backloom-objects";

/** Refs of others, mounted read-only. */
export const othersRefs = ["remotes", "backloom"];

/** Call it before anything runs in the worktree. */
export async function openStore(folder: string, own: string, common: string): Promise<JobStore> {
  const store = { folder: storeOf(folder), own, common, branch: await branchIn(own) };
  await rm(store.folder, { recursive: true, force: true });
  const names = ["objects/info", "objects/pack", "info", "pack", "logs/branches", "logs/worktree"];
  for (const name of [...names, ...othersRefs.map((one) => `refs/${one}`)]) {
    await mkdir(join(store.folder, name), { recursive: true });
  }
  await writeFile(join(store.folder, "info", "alternates"), `${objectsInside}\n`);
  await writeFile(join(store.folder, "store.json"), JSON.stringify(store));
  await copyRefs(join(common, "refs"), join(store.folder, "refs"), othersRefs);
  return store;
}

async function copyRefs(from: string, to: string, without: readonly string[] = []): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => [])) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (without.includes(entry.name)) continue;
    if (entry.isDirectory()) await copyRefs(source, target);
    else if (entry.isFile()) await copyFile(source, target).catch(() => undefined);
  }
}

/** Sets the job's branch to the worker's commit. Call it before each program. */
export async function lendBranch({ folder, common, branch }: JobStore): Promise<void> {
  if (branch === null) return;
  const commit = await commitOf(common, branch);
  const [refs, branchPath] = [join(folder, "refs"), join(folder, branch)];
  await removeSpecialFiles(refs, true);
  await plainFolder(refs, dirname(branchPath));
  await rm(branchPath, { recursive: true, force: true });
  if (commit !== null) await writeFile(branchPath, `${commit}\n`);
}

/** Takes over what a program left, even one of an earlier run of the worker. */
export function takeOver(folder: string): Promise<void> {
  return uninterrupted(async () => {
    const note = await readFile(join(storeOf(folder), "store.json"), "utf8").catch(() => null);
    if (note === null) return;
    const store = storeSchema.parse(JSON.parse(note));
    await cleanGitFiles(folder);
    // First of all: with what a job put there, the worker's commits would go to another branch.
    const head = store.branch === null ? "" : await takeHead(store.own, store.branch);
    for (const name of ["objects", "refs"]) {
      await removeSpecialFiles(join(store.folder, name), true);
    }
    await takeObjects(store);
    if (store.branch !== null) await takeBranch(store, store.branch, head);
  });
}

/** Git re-reads and renames each object. Objects that already exist stay unchanged. */
async function takeObjects({ folder, common }: JobStore): Promise<void> {
  const objects = join(folder, "objects");
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const names: string[] = [];
  for (const start of folders) {
    const rest = await readdir(join(objects, start));
    names.push(...rest.map((end) => start + end).filter((name) => /^[0-9a-f]{40,64}$/.test(name)));
  }
  if (names.length > 0) await carry(names, objects, common);
  for (const start of folders) await rm(join(objects, start), { recursive: true, force: true });
}

/** From this number on, objects become one pack, as in a fetch. */
const mostFiles = 100;

async function carry(names: readonly string[], objects: string, common: string): Promise<void> {
  const environment = { ...gitEnvironment(), GIT_DIR: common };
  const reads = { cwd: common, env: { ...environment, GIT_OBJECT_DIRECTORY: objects } };
  const pack = spawn("git", ["pack-objects", "-q", "--stdout", "--window=0"], reads);
  const args = names.length < mostFiles ? ["unpack-objects", "-q"] : ["index-pack", "--stdin"];
  const unpack = spawn("git", args, { cwd: common, env: environment });
  const complaints = Promise.all([text(pack.stderr), text(unpack.stderr)]);
  unpack.stdout.resume();
  const code = new Promise<number | null>((resolve, reject) => {
    unpack.once("error", reject).once("close", resolve);
  });
  pack.stdin.on("error", () => undefined);
  pack.stdin.end(`${names.join("\n")}\n`);
  await pipeline(pack.stdout, unpack.stdin).catch(() => undefined);
  if ((await code) === 0) return;
  throw new Error(`What the job has written to git cannot be read: ${(await complaints).join("").trim()}`);
}

/** Sets HEAD to the job's branch unless it is detached, and returns what it was. */
async function takeHead(own: string, branch: string): Promise<string> {
  const head = (await plainText(join(own, "HEAD"))) ?? "";
  if (commitName.test(head) || head === `ref: ${branch}`) return head;
  await rm(join(own, "HEAD"), { recursive: true, force: true });
  await writeFile(join(own, "HEAD"), `ref: ${branch}\n`);
  return head;
}

/** Moves the job's own branch to the new commit, whichever branch was checked out. Other branches stay unchanged. */
async function takeBranch(store: JobStore, branch: string, head: string): Promise<void> {
  const { common } = store;
  const isDetached = commitName.test(head);
  const [, current = branch] = /^ref: (refs\/[\w./@+-]+)$/.exec(head) ?? [];
  const commit = await commitAt(store, isDetached ? branch : current);
  if (commit === null || commit === (await commitOf(common, branch))) return;
  // A commit with missing objects would break the repository for git, so rev-list must find them all.
  await git(common, "rev-list", "--objects", "--quiet", commit, "--not", "--all");
  await git(common, "update-ref", branch, commit);
}

const commitName = /^[0-9a-f]{40,64}$/;

async function commitAt({ folder, common }: JobStore, ref: string): Promise<string | null> {
  if (ref.split("/").includes("..")) return null;
  const stored = await plainText(join(folder, ref));
  return stored !== null && commitName.test(stored) ? stored : commitOf(common, ref);
}

async function branchIn(own: string): Promise<string | null> {
  const head = await plainText(join(own, "HEAD"));
  return /^ref: (refs\/heads\/.+)$/.exec(head ?? "")?.[1] ?? null;
}

async function plainText(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() && found.size < 5_000 ? (await readFile(path, "utf8")).trim() : null;
}

/** Creates a folder below `home`. Replaces links on the way with real folders. */
export async function plainFolder(home: string, folder: string): Promise<void> {
  let path = home;
  for (const part of relative(home, folder).split("/")) {
    path = join(path, part);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory()) continue;
    await rm(path, { force: true });
    await mkdir(path);
  }
}
