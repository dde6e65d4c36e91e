import { access, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type JobStore, objectsInside, openStore, othersRefs } from "./job-store";

/** What of git is inside for a worktree, and where what is written there goes. */
export interface GitPlace {
  mounts: string[];
  /** Null where the folder is no worktree. */
  store: JobStore | null;
}

/**
 * The git folder behind a worktree, read-only, with objects and branches of the job's own in the place of the repository's. Files in it are
 * not locked one by one: a mount on a file ends when somebody outside replaces the file, as each `git config` does, and what lies below it
 * would be open.
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
    // No other place is named where objects lie.
    ...stored("--ro-bind", "info", join(common, "objects", "info")),
    ...stored("--ro-bind", "pack", join(common, "objects", "pack")),
    ...stored("--bind", "refs", join(common, "refs")),
    ...readOnly(othersRefs.map((name) => join(common, "refs", name))),
    ...["--bind", own, own],
    // Git appends to a log through a link: what is logged inside stays with the job.
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

/** Where worktrees may have settings of their own, nobody inside may be the first to write some. */
async function openWorktreeSettings(common: string, own: string): Promise<void> {
  const config = await readFile(join(common, "config"), "utf8").catch(() => "");
  if (!/worktreeconfig/i.test(config)) return;
  await writeFile(join(own, "config.worktree"), "", { flag: "a" });
}

function pathIn(text: string): string {
  return /^gitdir: (.+)$/m.exec(text)?.[1]?.trim() ?? "";
}
