import { constants } from "node:fs";
import {
  cp,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  statfs,
} from "node:fs/promises";
import { join } from "node:path";
import type { ClusterFiles } from "../postgres/cluster";
import type { OsUser } from "../postgres/os-user";
import { reachableClusterFolder } from "../postgres/reachable";
import { DataFolderProblem } from "./problem";

const kept = 2;

/**
 * Copies the database and the secrets beside them into `copies/<version>-<time>`: a data folder of its own, which
 * the older program opens as it is. Older copies but the newest two go.
 */
export async function keepCopy(
  dataDir: string,
  version: string,
  { clusterFolder, user }: Pick<ClusterFiles, "clusterFolder" | "user">,
  at = new Date(),
): Promise<string> {
  const copies = join(dataDir, "copies");
  await mkdir(copies, { recursive: true, mode: 0o711 });
  await requireSpace(clusterFolder, copies);
  await removeAll(copies, await unfinished(copies));
  const name = `${version}-${at.toISOString().replace(/[-:]|\.\d+/g, "")}`;
  const draft = join(copies, `${name}.new`);
  await mkdir(draft, { mode: 0o711 });
  await copyNotes(dataDir, draft);
  await copyDatabase(clusterFolder, draft, user);
  await rename(draft, join(copies, name));
  await removeAll(copies, (await finished(copies)).slice(0, -kept));
  return join(copies, name);
}

/** Secrets and keys belong to the database: without them nobody can sign in to a copy. */
async function copyNotes(dataDir: string, target: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.endsWith(".json")) continue;
    await cp(join(dataDir, name), join(target, name));
    await settle(join(target, name), undefined);
  }
}

/** Where the user of Postgres cannot reach the data folder, a copy lies outside of it like the database itself. */
async function copyDatabase(from: string, target: string, user: OsUser): Promise<void> {
  const to = await reachableClusterFolder(target, user);
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (source) => !source.endsWith("postmaster.pid"),
  });
  await settle(to, user);
}

/** On the disk, and owned by the user of Postgres, before the database that it was copied from changes. */
async function settle(path: string, user: OsUser): Promise<void> {
  if (user) await lchown(path, user.uid, user.gid);
  const found = await lstat(path);
  if (found.isDirectory()) {
    for (const name of await readdir(path)) await settle(join(path, name), user);
  }
  if (!found.isFile()) return;
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}

async function requireSpace(clusterFolder: string, target: string): Promise<void> {
  const needed = megabytes(await sizeOf(clusterFolder));
  const { bavail, bsize } = await statfs(target);
  const free = megabytes(bavail * bsize);
  // The upgrade itself, and the service after it, want some room as well.
  if (free >= needed + 100) return;
  throw new DataFolderProblem(
    `An upgrade begins with a copy of the database (${needed} MB), and only ${free} MB are free for ${target}; free some space and start again`,
  );
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) size += (await lstat(join(entry.parentPath, entry.name))).size;
  }
  return size;
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

/** By their time, the oldest first. */
async function finished(copies: string): Promise<string[]> {
  const names = (await readdir(copies)).filter((name) => /-\d{8}T\d{6}Z$/.test(name));
  return names.sort((one, other) => timeOf(one).localeCompare(timeOf(other)));
}

async function unfinished(copies: string): Promise<string[]> {
  return (await readdir(copies)).filter((name) => name.endsWith(".new"));
}

function timeOf(name: string): string {
  return name.slice(name.lastIndexOf("-") + 1);
}

async function removeAll(copies: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const outside = await readFile(join(copies, name, "postgres-folder"), "utf8").catch(() => "");
    if (outside) await rm(outside, { recursive: true, force: true });
    await rm(join(copies, name), { recursive: true, force: true });
  }
}
