import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, type FileHandle, lchown, mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OsUser } from "../postgres/os-user";

interface CopyOptions {
  user: OsUser;
  /** Filter by path relative to the folder. */
  leavesOut?: (path: string) => boolean;
}

/** Others may be writing: vanished files are skipped. Follows links, so that the copy is self-contained. */
export async function copyTree(from: string, to: string, options: CopyOptions, inside = ""): Promise<void> {
  await makeFolder(join(to, inside), options.user);
  for (const name of await readdir(join(from, inside)).catch(ignoreMissing([]))) {
    const path = join(inside, name);
    if (options.leavesOut?.(path)) continue;
    const found = await stat(join(from, path)).catch(ignoreMissing(undefined));
    if (found?.isDirectory()) await copyTree(from, to, options, path);
    if (found?.isFile()) await copyOne(join(from, path), join(to, path), options.user);
  }
}

export async function copyOne(from: string, to: string, user: OsUser): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch(ignoreMissing(undefined));
  if (user) await lchown(to, user.uid, user.gid).catch(ignoreMissing(undefined));
}

export async function makeFolder(path: string, user: OsUser): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user) await lchown(path, user.uid, user.gid);
}

export type SealedFile = { path: string; size: number; sha256: string };

export type SealedTree = { folders: string[]; files: SealedFile[] };

/** Syncs a whole folder to disk and returns its contents with checksums. */
export async function sealTree(folder: string, inside = ""): Promise<SealedTree> {
  const sealed: SealedTree = { folders: [], files: [] };
  const entries = await readdir(join(folder, inside), { withFileTypes: true });
  for (const entry of entries) {
    const path = join(inside, entry.name);
    if (entry.isFile()) sealed.files.push(await sealFile(folder, path));
    if (!entry.isDirectory()) continue;
    const below = await sealTree(folder, path);
    sealed.folders.push(path, ...below.folders);
    sealed.files.push(...below.files);
  }
  await syncFolder(join(folder, inside));
  return sealed;
}

export async function sealFile(folder: string, path: string): Promise<SealedFile> {
  const handle = await open(join(folder, path), "r");
  try {
    const sealed = await fingerprint(handle);
    await handle.sync();
    return { path, ...sealed };
  } finally {
    await handle.close();
  }
}

async function fingerprint(handle: FileHandle): Promise<Omit<SealedFile, "path">> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest("hex") };
}

/** Syncs a folder, which makes the names in it durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync();
  await handle.close();
}

function ignoreMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT") return instead;
    throw error;
  };
}
