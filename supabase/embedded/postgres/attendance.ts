import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { identityOf } from "./process-identity";

/**
 * Who uses the Postgres of a data folder. The server and an admin command may run beside each
 * other; whoever leaves last stops Postgres.
 */
export interface Attendance {
  /** Takes this process off the list; true when nobody else is left. */
  leave(): Promise<boolean>;
}

export async function attend(dataDir: string): Promise<Attendance> {
  const folder = join(dataDir, "users");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${process.pid}-${randomUUID()}`);
  await writeFile(file, identityOf(process.pid) ?? "");
  return {
    async leave() {
      await rm(file, { force: true });
      return (await countPresent(folder)) === 0;
    },
  };
}

async function countPresent(folder: string): Promise<number> {
  let present = 0;
  for (const name of await readdir(folder)) {
    const identity = await readFile(join(folder, name), "utf8").catch(() => "");
    if (identityOf(Number.parseInt(name, 10)) === identity) present += 1;
    else await rm(join(folder, name), { force: true });
  }
  return present;
}

/** One process at a time starts or stops Postgres; a lock whose holder died is taken over. */
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
  for (let attempt = 0; attempt < 1200; attempt++) {
    const handle = await open(file, "wx").catch(() => null);
    if (handle) {
      await handle.writeFile(`${process.pid} ${identityOf(process.pid) ?? ""}`);
      return handle.close();
    }
    await removeIfAbandoned(file, attempt);
    await wait(50);
  }
  throw new Error(`Another process has been starting the database for a minute (${file})`);
}

async function removeIfAbandoned(file: string, attempt: number): Promise<void> {
  const [pid, ...identity] = (await readFile(file, "utf8").catch(() => "")).split(" ");
  const unwritten = !pid && attempt > 40;
  const dead = pid && identityOf(Number(pid)) !== identity.join(" ");
  if (unwritten || dead) await rm(file, { force: true });
}
