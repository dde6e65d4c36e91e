import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beginningOf, isZombie } from "./orphans";
import { succeeds } from "./run";

/** Code, conversations and notes of people are in these folders. */
const ownOnly = 0o700;

/** The folders of one worker. Running workers of a machine never share them. */
export interface WorkFolder {
  workerName: string;
  worktrees: string;
  logs: string;
  /** Agents' conversations by job. */
  sessions: string;
  /** Homes of sandboxed jobs. */
  homes: string;
  /** Clones, shared by all workers of the machine. */
  repositories: string;
  /** Package caches of sandboxed jobs, by repository. */
  caches: string;
  release(): Promise<void>;
}

/** The next free name if a running worker has this one, so that the same command can start several workers. */
export async function takeWorkFolder(workDir: string, name: string): Promise<WorkFolder> {
  const workers = join(workDir, "workers");
  await mkdir(workers, { recursive: true, mode: ownOnly });
  for (let number = 1; ; number += 1) {
    const workerName = number === 1 ? name : `${name}-${number}`;
    const home = homeOf(workDir, workerName);
    const lock = `${home}.pid`;
    if (!(await takeLock(lock))) continue;
    const release = () => rm(lock, { force: true });
    return { ...(await openWorkFolder(workDir, home, workerName)), release };
  }
}

/** The folder of a worker's name. */
export function homeOf(workDir: string, name: string): string {
  return join(workDir, "workers", name.replace(/[^A-Za-z0-9._-]/g, "_"));
}

/** The folders below a worker's own, without the right to be the only one there. */
export async function openWorkFolder(workDir: string, home: string, workerName: string): Promise<WorkFolder> {
  const folder = {
    workerName,
    worktrees: join(home, "worktrees"),
    logs: join(home, "logs"),
    sessions: join(home, "sessions"),
    homes: join(home, "homes"),
    repositories: join(workDir, "repositories"),
    caches: join(workDir, "cache"),
    release: async () => undefined,
  };
  const { worktrees, logs, sessions, repositories, caches } = folder;
  for (const path of [worktrees, logs, sessions, repositories, caches]) {
    await mkdir(path, { recursive: true, mode: ownOnly });
  }
  // Made by an older worker; whose folder `--work-dir` is, the user knows.
  for (const path of [join(workDir, "workers"), repositories, caches]) {
    await chmod(path, ownOnly).catch(() => undefined);
  }
  return folder;
}

/** Returns true if the lock was taken. A dead process's lock is replaced. */
export async function takeLock(file: string): Promise<boolean> {
  const own = `${file}.${process.pid}`;
  // A link appears with the mark in it: no one reads an empty lock as a dead one.
  await writeFile(own, await markOf(process.pid));
  try {
    if (await isLinked(own, file)) return true;
    return !(await isHeld(file)) && (await replaceDead(own, file));
  } finally {
    await rm(own, { force: true });
  }
}

/** One process at a time: a lock just read as dead may be another's new one when it is removed. */
async function replaceDead(own: string, file: string): Promise<boolean> {
  const guard = `${file}.guard`;
  while (!(await isLinked(own, guard))) {
    if ((await isHeld(guard)) === false) await rm(guard, { force: true });
    else await wait(20);
  }
  try {
    if (await isHeld(file)) return false;
    await rm(file, { force: true });
    return await isLinked(own, file);
  } finally {
    await rm(guard, { force: true });
  }
}

const isLinked = (own: string, file: string): Promise<boolean> => succeeds(link(own, file));

/** Whether a running process has the lock; undefined if there is none. */
async function isHeld(file: string): Promise<boolean | undefined> {
  const mark = await readFile(file, "utf8").catch(() => undefined);
  return mark === undefined ? undefined : isRunning(mark);
}

/** Names a process in a file, for others to see whether it still runs: its id alone is used again. */
export async function markOf(pid: number): Promise<string> {
  return `${pid} ${(await beginningOf(pid)) ?? ""}`;
}

/** Whether another process with this mark runs. */
export async function isRunning(mark: string): Promise<boolean> {
  const [, id, began] = /^(\d+) ?(.*)$/.exec(mark) ?? [];
  const pid = Number(id ?? 0);
  return isAlive(pid) && (!began || began === (await beginningOf(pid))) && !(await isZombie(pid));
}

function isAlive(pid: number): boolean {
  if (pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
