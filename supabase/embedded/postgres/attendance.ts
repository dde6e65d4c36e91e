import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { identityOf } from "./process-identity";

/** Which processes use a data folder's Postgres, such as server and admin commands; the last to leave stops it. */
export interface Attendance {
  /** Whether another process uses it too. */
  hasCompany(): boolean;
  /** Removes this process. Returns true if no other is left. Synchronous, for use in exit handlers. */
  leave(): boolean;
}

export function attend(dataDir: string): Attendance {
  const folder = join(dataDir, "users");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}-${randomUUID()}`);
  writeFileSync(file, identityOf(process.pid) ?? "");
  return {
    hasCompany: () => countPresent(folder) > 1,
    leave() {
      rmSync(file, { force: true });
      return countPresent(folder) === 0;
    },
  };
}

/** Whether any running process uses the folder. */
export function isAttended(dataDir: string): boolean {
  const folder = join(dataDir, "users");
  return existsSync(folder) && countPresent(folder) > 0;
}

function countPresent(folder: string): number {
  let present = 0;
  for (const name of readdirSync(folder)) {
    const identity = readIfThere(join(folder, name));
    if (identityOf(Number.parseInt(name, 10)) === identity) present += 1;
    else rmSync(join(folder, name), { force: true });
  }
  return present;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Runs `work` under a lock: one process at a time starts or stops Postgres. Takes over locks of dead processes. */
export async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const file = join(dataDir, "start.lock");
  await takeLock(file);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function takeLock(file: string): Promise<void> {
  for (let attempt = 0; attempt < 12_000; attempt++) {
    const handle = await open(file, "wx").catch(() => null);
    if (handle) {
      await handle.writeFile(`${process.pid} ${identityOf(process.pid) ?? ""}`);
      return handle.close();
    }
    await removeIfAbandoned(file, attempt);
    await wait(50);
  }
  throw new Error(`Another process has been starting or upgrading the database for ten minutes (${file})`);
}

async function removeIfAbandoned(file: string, attempt: number): Promise<void> {
  const [pid, ...identity] = (await readFile(file, "utf8").catch(() => "")).split(" ");
  const unwritten = !pid && attempt > 40;
  const dead = pid && identityOf(Number(pid)) !== identity.join(" ");
  if (unwritten || dead) await rm(file, { force: true });
}
