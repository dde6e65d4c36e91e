import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isAttended, withStartLock } from "../postgres/attendance";
import { chooseOsUser, type OsUser } from "../postgres/os-user";
import { reachableClusterFolder } from "../postgres/reachable";
import { clusterFolderOf } from "./copies";
import { copyOne, makeFolder, sealFile, syncFolder } from "./copy-files";
import { readMadeBy, refuseNewer, thisProgram } from "./made-by";
import { type Manifest, readManifest } from "./manifest";
import { DataFolderProblem } from "./problem";

/** While this exists in a data folder, the folder's contents are incomplete. */
const draftName = "restore.new";

/** Entries allowed in an "empty" folder: the lock of this restore, and what file systems put into their root. */
const notData = new Set(["start.lock", "lost+found"]);

/** Verifies every file against the manifest, so that an incomplete or modified copy is never restored. */
export async function restoreCopy(from: string, into: string): Promise<Manifest> {
  const [copy, dataDir] = [resolve(from), resolve(into)];
  const manifest = await readManifest(copy);
  refuseNewer(copy, await readMadeBy(copy), await thisProgram());
  await mkdir(dataDir, { recursive: true });
  return withStartLock(dataDir, async () => {
    await clearUnfinished(dataDir);
    await requireEmpty(dataDir);
    await requireSpace(manifest, dataDir);
    await mkdir(join(dataDir, draftName), { mode: 0o700 });
    try {
      await fill(copy, dataDir, manifest);
    } catch (error) {
      await clearUnfinished(dataDir);
      throw error;
    }
    return manifest;
  });
}

/** Refuses to start on a folder with an unfinished restore. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, draftName))) return;
  throw new DataFolderProblem(`A restore into ${dataDir} has not finished: run "backloom restore <copy>" again.`);
}

/** Clears an unfinished restore. The folder was empty when it began, so everything in it can go. */
async function clearUnfinished(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, draftName))) return;
  const outside = await readFile(join(dataDir, "postgres-folder"), "utf8").catch(() => "");
  if (outside) {
    await rm(outside, { recursive: true, force: true });
    await rm(`${outside}.new`, { recursive: true, force: true });
  }
  const names = (await readdir(dataDir)).filter((name) => !notData.has(name) && name !== draftName);
  for (const name of [...names, draftName]) {
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

async function requireEmpty(dataDir: string): Promise<void> {
  if (isAttended(dataDir)) {
    throw new DataFolderProblem(
      `The data folder ${dataDir} is in use: stop the service, move the folder away, then restore again.`,
    );
  }
  const names = (await readdir(dataDir)).filter((name) => !notData.has(name));
  if (names.length === 0) return;
  throw new DataFolderProblem(
    `The data folder ${dataDir} is not empty, and a restore changes no data: move it away or set DATA_DIR to an empty folder, then restore again.`,
  );
}

async function requireSpace({ files }: Manifest, dataDir: string): Promise<void> {
  const needed = files.reduce((sum, { size }) => sum + size, 0);
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize > needed + 100 * 1024 * 1024) return;
  const [wanted, free] = [needed, bavail * bsize].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  throw new DataFolderProblem(
    `The copy takes ${wanted} MB, and only ${free} MB are free for ${dataDir}: free some space or set DATA_DIR to another disk.`,
  );
}

async function fill(copy: string, dataDir: string, manifest: Manifest): Promise<void> {
  const user = await chooseOsUser();
  const cluster = await reachableClusterFolder(dataDir, user);
  const places: Places = {
    copy,
    copiedCluster: await clusterFolderOf(copy),
    notes: join(dataDir, draftName),
    cluster: `${cluster}.new`,
    user,
  };
  await requireWhole(places, manifest);
  await copyAll(places, manifest);
  await rename(places.cluster, cluster);
  await syncFolder(dirname(cluster));
  for (const name of await readdir(places.notes)) {
    await rename(join(places.notes, name), join(dataDir, name));
  }
  await syncFolder(dataDir);
  await rm(places.notes, { recursive: true });
  await syncFolder(dataDir);
}

interface Places {
  copy: string;
  /** Database folder of the copy, which may lie outside the copy. */
  copiedCluster: string;
  notes: string;
  cluster: string;
  user: OsUser;
}

const ofDatabase = /^postgres(?:\/|$)/;

/** Cheap first check for missing or truncated files. */
async function requireWhole(places: Places, { files }: Manifest): Promise<void> {
  for (const { path, size } of files) {
    const found = await stat(sourceOf(places, path)).catch(() => undefined);
    if (found?.size !== size) throw torn(places.copy, path);
  }
}

async function copyAll(places: Places, manifest: Manifest): Promise<void> {
  const { copy, notes, cluster, user } = places;
  await makeFolder(cluster, user);
  const folders = [...manifest.folders].sort();
  for (const path of folders) {
    if (ofDatabase.test(path)) await makeFolder(join(cluster, path.slice(9)), user);
    else await makeFolder(join(notes, path), undefined);
  }
  for (const expected of manifest.files) {
    const isOfDatabase = ofDatabase.test(expected.path);
    const [folder, path] = isOfDatabase ? [cluster, expected.path.slice(9)] : [notes, expected.path];
    const owner = isOfDatabase ? user : undefined;
    await copyOne(sourceOf(places, expected.path), join(folder, path), owner);
    const { sha256 } = await sealFile(folder, path).catch(() => ({ sha256: "" }));
    if (sha256 !== expected.sha256) throw torn(copy, expected.path);
  }
  for (const path of folders.filter((path) => ofDatabase.test(path))) {
    await syncFolder(join(cluster, path.slice(9)));
  }
}

function sourceOf({ copy, copiedCluster }: Places, path: string): string {
  return ofDatabase.test(path) ? join(copiedCluster, path.slice(9)) : join(copy, path);
}

function torn(copy: string, path: string): DataFolderProblem {
  return new DataFolderProblem(
    `${basename(copy)} is not as it was made (${path} differs): it was cut short, or changed or started since. Nothing was restored; choose another copy.`,
  );
}
