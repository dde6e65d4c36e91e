import { access, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type JobStore, objectsInside, openStore, othersRefs } from "./job-store";

/** Git mounts of a worktree, and the store that receives what the job writes. */
export interface GitPlace {
  mounts: string[];
  /** Null if the folder is not a worktree. */
  store: JobStore | null;
}

/**
 * Mounts the git folder behind a worktree read-only, with the job's own objects and branches in place of the
 * repository's. Trap: do not lock files in it one by one. A mount on a file ends when someone outside replaces the
 * file, as each `git config` does, and the file below would be writable.
 */
export async function openGitPlace(folder: string): Promise<GitPlace> {
  const file = join(folder, ".git");
  const isFile = await lstat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return { mounts: [], store: null };
  const own = resolve(folder, pathIn(await readFile(file, "utf8")));
  const common = resolve(own, (await readFile(join(own, "commondir"), "utf8")).trim());
  const names = ["objects", "objects/info", "objects/pack", "logs"];
  const folders = [...names, ...othersRefs.map((name) => `refs/${name}`)];
  for (const name of folders) await mkdir(join(common, name), { recursive: true });
  await openWorktreeSettings(common, own);
  await mkdir(join(own, "logs"), { recursive: true });
  const store = await openStore(folder, own, common);
  const stored = (how: string, from: string, to: string): string[] => [
    ...[how, join(store.folder, from), to],
  ];
  const mounts = [
    ...readOnly([common]),
    ...["--ro-bind", join(common, "objects"), objectsInside],
    ...stored("--bind", "objects", join(common, "objects")),
    // Read-only, so that the job cannot add other alternates.
    ...stored("--ro-bind", "info", join(common, "objects", "info")),
    ...stored("--ro-bind", "pack", join(common, "objects", "pack")),
    ...stored("--bind", "refs", join(common, "refs")),
    ...readOnly(othersRefs.map((name) => join(common, "refs", name))),
    ...["--bind", own, own],
    // Git appends to logs through links, so the job gets logs of its own.
    ...stored("--bind", "logs/branches", join(common, "logs")),
    ...stored("--bind", "logs/worktree", join(own, "logs")),
    ...readOnly(await existing(own, ["commondir", "gitdir", "config.worktree", "modules"])),
    ...readOnly([file]),
  ];
  return { mounts, store };
}

function readOnly(paths: readonly string[]): string[] {
  return paths.flatMap((path) => ["--ro-bind", path, path]);
}
async function existing(folder: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return access(path).then(
        () => [path],
        () => [],
      );
    }),
  );
  return found.flat();
}

/** If worktrees may have their own config, creates the file, so that a job cannot be the first to write it. */
async function openWorktreeSettings(common: string, own: string): Promise<void> {
  const config = await readFile(join(common, "config"), "utf8").catch(() => "");
  if (!/worktreeconfig/i.test(config)) return;
  await writeFile(join(own, "config.worktree"), "", { flag: "a" });
}

function pathIn(text: string): string {
  return /^gitdir: (.+)$/m.exec(text)?.[1]?.trim() ?? "";
}
