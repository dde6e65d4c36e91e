import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "./binaries";
import type { OsUser } from "./os-user";

const run = promisify(execFile);
const sharedFolder = "/var/lib/backloom";

/** Postgres' user cannot read a clone under /root: programs are copied and data kept under /var/lib/backloom. */
export async function reachableBinaries(binaries: Binaries, user: OsUser): Promise<Binaries> {
  if (!user || (await canReach(binaries.postgres, user))) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const target = join(sharedFolder, `postgres-${fingerprint(await versionOf(native))}`);
  if (!existsSync(target)) await copyOnce(native, target);
  return {
    initdb: join(target, "bin", basename(binaries.initdb)),
    postgres: join(target, "bin", basename(binaries.postgres)),
  };
}

/** A folder outside is noted in the data folder, so that an emptied one starts with an empty database too. */
export async function reachableClusterFolder(dataDir: string, user: OsUser): Promise<string> {
  await chmod(dataDir, user ? 0o711 : 0o700);
  if (!user || (await canReach(dataDir, user))) return join(dataDir, "postgres");
  const note = join(dataDir, "postgres-folder");
  const known = await readFile(note, "utf8").catch(() => "");
  if (known) return known;
  await openFolder(sharedFolder);
  const folder = join(sharedFolder, `data-${randomUUID()}`);
  await writeFile(note, folder);
  return folder;
}

async function canReach(path: string, user: { uid: number; gid: number }): Promise<boolean> {
  try {
    await run("/bin/sh", ["-c", 'test -x "$1"', "sh", path], { ...user, cwd: "/" });
    return true;
  } catch {
    return false;
  }
}

async function copyOnce(from: string, to: string): Promise<void> {
  await openFolder(sharedFolder);
  const draft = `${to}.${process.pid}`;
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await rename(draft, to);
}

async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
}

async function versionOf(native: string): Promise<string> {
  const { mtimeMs, size } = await stat(join(native, "bin", "postgres"));
  return `${native} ${size} ${mtimeMs}`;
}

const fingerprint = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
