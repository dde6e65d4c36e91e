import { existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, readFile, rename, rm, statfs } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { stopServer } from "../postgres/cluster";
import { clearLeftovers } from "../postgres/leftovers";
import type { OsUser } from "../postgres/os-user";
import { reachableClusterFolder } from "../postgres/reachable";
import { copyTree, type SealedTree, sealTree, syncFolder } from "./copy-files";
import { type Manifest, writeManifest } from "./manifest";
import { DataFolderProblem } from "./problem";

export interface CopyPlan {
  dataDir: string;
  clusterFolder: string;
  user: OsUser;
  folder: string;
  /** Version that made the data. The copy's name starts with it. */
  version: string;
  at?: Date;
  /** How many copies of this database to keep in the folder. Default: all. */
  keep?: number | undefined;
  copyDatabase(target: string): Promise<void>;
  /** Opens the copy and returns the row count of each table. */
  check?(draft: string): Promise<Record<string, number>>;
  /** Whether the copy can be moved elsewhere: then its database always lies inside it. */
  isPortable: boolean;
}

export type Copy = { path: string; bytes: number; rows: Record<string, number> };

/** A complete data folder that gets its name `<folder>/<version>-<time>` only once it is synced to disk. */
export async function makeCopy(plan: CopyPlan): Promise<Copy> {
  const { folder, keep, at = new Date() } = plan;
  await mkdir(folder, { recursive: true, mode: 0o711 }).catch(() => {
    throw new DataFolderProblem(
      `The folder for copies ${folder} cannot be made: a part of its path is a file, or is not yours. Name another one.`,
    );
  });
  await requireSpace(plan.clusterFolder, folder);
  const system = await systemOf(plan.clusterFolder);
  await removeAll(folder, await unfinished(folder, system));
  const path = join(folder, `${plan.version}-${at.toISOString().replace(/[-:]|\.\d+/g, "")}`);
  const draft = `${path}.${system}.new`;
  if (existsSync(path)) throw new DataFolderProblem(`${path} is there already: try again.`);
  await mkdir(draft, { mode: 0o711 });
  try {
    const rows = await fill(draft, plan);
    const sealed = await seal(draft, { begun_at: at.toISOString(), rows });
    await rename(draft, path);
    await syncFolder(folder);
    const own = await finished(folder, system);
    if (keep !== undefined) await removeAll(folder, own.slice(0, -keep));
    return { path, bytes: sealed.files.reduce((sum, { size }) => sum + size, 0), rows };
  } catch (error) {
    await removeAll(folder, [basename(draft)]);
    throw error;
  }
}

async function fill(draft: string, plan: CopyPlan): Promise<Record<string, number>> {
  const { dataDir, folder, user } = plan;
  const cluster = await reachableClusterFolder(draft, user);
  await plan.copyDatabase(cluster);
  // Copied after the database, so that files its rows refer to exist.
  const isElsewhere = (path: string) => notCopied.test(path) || resolve(dataDir, path) === resolve(folder);
  await copyTree(dataDir, draft, { user: undefined, leavesOut: isElsewhere });
  const rows = (await plan.check?.(draft)) ?? {};
  const within = join(draft, "postgres");
  if (plan.isPortable && cluster !== within) {
    await copyTree(cluster, within, { user });
    await rm(cluster, { recursive: true });
    await rm(join(draft, "postgres-folder"));
  }
  return rows;
}

/** The database, which is copied separately, other copies, and temporary files. */
const notCopied =
  /^(postgres|postgres-folder|postgres\.log|copies|backups|users|start\.lock|backup\.json|lost\+found|.*\.new)$/;

async function seal(draft: string, known: Pick<Manifest, "begun_at" | "rows">): Promise<SealedTree> {
  const outside = await readFile(join(draft, "postgres-folder"), "utf8").catch(() => "");
  const sealed = await sealTree(draft);
  if (outside) {
    const database = await sealTree(outside);
    sealed.folders.push("postgres", ...database.folders.map(inPostgres));
    sealed.files.push(...database.files.map((file) => ({ ...file, path: inPostgres(file.path) })));
    sealed.files = sealed.files.filter(({ path }) => path !== "postgres-folder");
  }
  await writeManifest(draft, { ...known, finished_at: new Date().toISOString(), ...sealed });
  await syncFolder(draft);
  return sealed;
}

const inPostgres = (path: string): string => join("postgres", path);

async function requireSpace(clusterFolder: string, target: string): Promise<void> {
  const needed = megabytes(await sizeOf(clusterFolder));
  const { bavail, bsize } = await statfs(target);
  const free = megabytes(bavail * bsize);
  // Leave 100 MB for everything else on the machine.
  if (free >= needed + 100) return;
  throw new DataFolderProblem(
    `A copy of the database takes ${needed} MB, and only ${free} MB are free for ${target}: free some space and try again.`,
  );
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    size += found?.size ?? 0;
  }
  return size;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

/** Returns Postgres's system identifier, which tells apart databases whose copies share a folder. */
async function systemOf(clusterFolder: string): Promise<string | undefined> {
  const handle = await open(join(clusterFolder, "global/pg_control"), "r").catch(() => undefined);
  if (handle === undefined) return undefined;
  const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, 0);
  await handle.close();
  return buffer.readBigUInt64LE().toString(36);
}

async function finished(folder: string, system: string | undefined): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /-\d{8}T\d{6}Z$/.test(name));
  const own: string[] = [];
  for (const name of names) {
    if ((await systemOf(await clusterFolderOf(join(folder, name)))) === system) own.push(name);
  }
  return own.sort((one, other) => timeOf(one).localeCompare(timeOf(other)));
}

/** Returns drafts left by earlier attempts for this database. Up to 0.2.0, drafts had no identifier in their name. */
async function unfinished(folder: string, system: string | undefined): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(`.${system}.new`) || name.endsWith("Z.new"));
}

const timeOf = (name: string): string => name.slice(name.lastIndexOf("-") + 1);

/** Returns the folder of a copy's database files. */
export async function clusterFolderOf(copy: string): Promise<string> {
  const outside = await readFile(join(copy, "postgres-folder"), "utf8").catch(() => "");
  return outside || join(copy, "postgres");
}

async function removeAll(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const cluster = await clusterFolderOf(join(folder, name));
    // A killed check may have left its Postgres running.
    const running = await clearLeftovers(cluster);
    if (running) await stopServer(running.pid);
    await rm(cluster, { recursive: true, force: true });
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
