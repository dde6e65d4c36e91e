import { spawn } from "node:child_process";
import { copyFile, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { mendGitFiles } from "../git/checkout";
import { commitOf, git, gitEnvironment } from "../git/git";
import { removeSpecialFiles } from "../git/special-files";
import { uninterrupted } from "../job/interruption";
import { plainFolder } from "./plain-folder";

/**
 * What a job in a sandbox writes to git: objects and branches of its own, beside its worktree. It reads those of the repository and
 * changes none. When a program has ended, the worker takes over the objects and the job's own branch, and nothing else.
 */
const storeSchema = z.object({
  folder: z.string(),
  /** The git folders of the worktree and of its repository. */
  own: z.string(),
  common: z.string(),
  /** The one that is the job's; null for a checkout to read in. */
  branch: z.string().nullable(),
});
export type JobStore = z.output<typeof storeSchema>;

/** Not below the folder of the worktree: what runs there chooses nothing of it. */
function storeOf(folder: string): string {
  return `${folder}.git`;
}

/** Where the repository's objects are, inside. */
export const objectsInside = "/run/backloom-objects";

/** Branches of others, which a job sees as they are. */
export const othersRefs = ["remotes", "backloom"];

/** Called before anything has run in the worktree. */
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

/** Others write there meanwhile: what is gone again is left out. */
async function copyRefs(from: string, to: string, without: readonly string[] = []): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => [])) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (without.includes(entry.name)) continue;
    if (entry.isDirectory()) await copyRefs(source, target);
    else if (entry.isFile()) await copyFile(source, target).catch(() => undefined);
  }
}

/** Before a program begins: its branch is where the worker has left it. */
export async function lendBranch({ folder, common, branch }: JobStore): Promise<void> {
  if (branch === null) return;
  const commit = await commitOf(common, branch);
  const [refs, place] = [join(folder, "refs"), join(folder, branch)];
  await removeSpecialFiles(refs, true);
  await plainFolder(refs, dirname(place));
  await rm(place, { recursive: true, force: true });
  if (commit !== null) await writeFile(place, `${commit}\n`);
}

/** Takes over what a program has left there, also one of an earlier life of the worker. */
export function takeOver(folder: string): Promise<void> {
  return uninterrupted(async () => {
    const note = await readFile(join(storeOf(folder), "store.json"), "utf8").catch(() => null);
    if (note === null) return;
    const store = storeSchema.parse(JSON.parse(note));
    await mendGitFiles(folder);
    for (const name of ["objects", "refs"]) {
      await removeSpecialFiles(join(store.folder, name), true);
    }
    await takeObjects(store);
    if (store.branch !== null) await takeBranch(store, store.branch);
  });
}

/** Each is read and named anew by git: what is there already stays as it is. */
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

/** As a fetch does: few objects as files, many as one pack. */
const mostFiles = 100;

async function carry(names: readonly string[], objects: string, common: string): Promise<void> {
  const environment = { ...gitEnvironment(), GIT_DIR: common };
  const reads = { cwd: common, env: { ...environment, GIT_OBJECT_DIRECTORY: objects } };
  const pack = spawn("git", ["pack-objects", "-q", "--stdout", "--window=0"], reads);
  const words = names.length < mostFiles ? ["unpack-objects", "-q"] : ["index-pack", "--stdin"];
  const unpack = spawn("git", words, { cwd: common, env: environment });
  const said = Promise.all([text(pack.stderr), text(unpack.stderr)]);
  unpack.stdout.resume();
  const code = new Promise<number | null>((resolve, reject) => {
    unpack.once("error", reject).once("close", resolve);
  });
  pack.stdin.on("error", () => undefined);
  pack.stdin.end(`${names.join("\n")}\n`);
  await pipeline(pack.stdout, unpack.stdin).catch(() => undefined);
  if ((await code) === 0) return;
  throw new Error(
    `What the job has written to git cannot be read: ${(await said).join("").trim()}`,
  );
}

/** Whatever branch the job has checked out, its own takes the commit: those of others stay where they are. */
async function takeBranch(store: JobStore, branch: string): Promise<void> {
  const { own, common } = store;
  const head = (await plainText(join(own, "HEAD"))) ?? "";
  const isDetached = commitName.test(head);
  const [, current = branch] = /^ref: (refs\/[\w./@+-]+)$/.exec(head) ?? [];
  await dropForeignRebase(own, branch);
  if (!isDetached && head !== `ref: ${branch}`) {
    await rm(join(own, "HEAD"), { recursive: true, force: true });
    await writeFile(join(own, "HEAD"), `ref: ${branch}\n`);
  }
  const commit = await commitAt(store, isDetached ? branch : current);
  if (commit === null || commit === (await commitOf(common, branch))) return;
  // A commit of which something is missing would break the repository for its own git.
  await git(common, "rev-list", "--objects", "--quiet", commit, "--not", "--all");
  await git(common, "update-ref", branch, commit);
}

const commitName = /^[0-9a-f]{40,64}$/;

async function commitAt({ folder, common }: JobStore, ref: string): Promise<string | null> {
  if (ref.split("/").includes("..")) return null;
  const said = await plainText(join(folder, ref));
  return said !== null && commitName.test(said) ? said : commitOf(common, ref);
}

/** A rebase that is taken back moves the branch that it names. */
async function dropForeignRebase(own: string, branch: string): Promise<void> {
  for (const name of ["rebase-merge", "rebase-apply"]) {
    const named = await plainText(join(own, name, "head-name"));
    if (named !== null && named !== branch && named !== "detached HEAD") {
      await rm(join(own, name), { recursive: true, force: true });
    }
  }
}

async function branchIn(own: string): Promise<string | null> {
  const head = await plainText(join(own, "HEAD"));
  return /^ref: (refs\/heads\/.+)$/.exec(head ?? "")?.[1] ?? null;
}

async function plainText(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() && found.size < 5_000 ? (await readFile(path, "utf8")).trim() : null;
}
