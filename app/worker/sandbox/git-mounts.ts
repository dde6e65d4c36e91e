import { access, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** What commits are made of: the only parts of a repository's git folder that may be written. */
const written = ["objects", "refs"];
const locked = [
  // What the remote has, and where unfinished work began: only who may push there decides that.
  ...["refs/remotes", "refs/backloom"],
  // What is packed stays, and no other place is named where objects lie. New ones are written beside it.
  ...["objects/pack", "objects/info"],
];

/**
 * The git folder behind a worktree: objects and branches may be written, and nothing else. Files in it are not locked one by one:
 * a mount on a file ends when somebody outside replaces the file, as each `git config` does, and what lies below it would be open.
 */
export async function gitMounts(folder: string, logged: string): Promise<string[]> {
  const file = join(folder, ".git");
  const isFile = await lstat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) return [];
  const own = resolve(folder, pathIn(await readFile(file, "utf8")));
  const common = resolve(own, (await readFile(join(own, "commondir"), "utf8")).trim());
  const folders = [...written, ...locked, "logs"].map((name) => join(common, name));
  for (const path of folders) await mkdir(path, { recursive: true });
  await openWorktreeSettings(common, own);
  await mkdir(join(own, "logs"), { recursive: true });
  // Git appends to a log through a link: what is logged inside stays with the job.
  const logs = [join(logged, "branches"), join(logged, "worktree")] as const;
  for (const path of logs) await mkdir(path, { recursive: true });
  return [
    ...readOnly([common]),
    ...written.flatMap((name) => ["--bind", join(common, name), join(common, name)]),
    ...readOnly(locked.map((name) => join(common, name))),
    ...["--bind", own, own],
    ...["--bind", logs[0], join(common, "logs"), "--bind", logs[1], join(own, "logs")],
    ...readOnly(await existing(own, ["commondir", "gitdir", "config.worktree", "modules"])),
    ...readOnly([file]),
  ];
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
