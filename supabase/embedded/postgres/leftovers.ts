import { readdir, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { commandOf, identityOf } from "./process-identity";

/** A Postgres that already runs over a folder: its process and its port. */
export interface RunningPostgres {
  pid: number;
  port: number;
}

/**
 * Looks at what an earlier start left behind. A living Postgres is returned so that it can be used
 * on. After a kill its orphans are waited for, and a pid file that names nobody, or a stranger
 * that got the number since, is removed: Postgres itself would refuse to start over it.
 */
export async function clearLeftovers(clusterFolder: string): Promise<RunningPostgres | undefined> {
  const pidFile = join(clusterFolder, "postmaster.pid");
  const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (pid > 0 && (await worksIn(pid, clusterFolder)) && lines[7]?.startsWith("ready")) {
    return { pid, port };
  }
  await endOrphans(clusterFolder);
  await rm(pidFile, { force: true });
  return undefined;
}

/** Server processes of this folder whose postmaster is gone: they leave by themselves, else they are ended. */
async function endOrphans(clusterFolder: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const orphans = await processesIn(clusterFolder);
    if (orphans.length === 0) return;
    if (attempt === 40) for (const pid of orphans) signal(pid, "SIGQUIT");
    if (attempt === 70) for (const pid of orphans) signal(pid, "SIGKILL");
    await wait(100);
  }
  throw new Error(
    `Processes of an earlier Postgres still use ${clusterFolder}; end them and start again`,
  );
}

async function processesIn(folder: string): Promise<number[]> {
  const entries = await readdir("/proc").catch(() => []);
  const pids = entries.map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const inside = await Promise.all(pids.map((pid) => worksIn(pid, folder)));
  return pids.filter((_pid, index) => inside[index]);
}

/** Every Postgres process keeps its data folder as its working folder. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  if (identityOf(pid) === null) return false;
  if (process.platform !== "linux") return commandOf(pid).includes(folder);
  return (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === folder;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
