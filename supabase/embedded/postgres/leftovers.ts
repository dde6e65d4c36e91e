import { readdir, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { commandOf, identityOf } from "./process-identity";

/** Process id and port of a Postgres that already runs on a folder. */
export type RunningPostgres = { pid: number; port: number };

/**
 * Returns a running Postgres of an earlier start. After a kill, waits for its orphans and removes a pid file whose
 * process is gone or another program's, because Postgres would refuse to start with it.
 */
export async function clearLeftovers(clusterFolder: string): Promise<RunningPostgres | undefined> {
  const pidFile = join(clusterFolder, "postmaster.pid");
  const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (pid > 0 && (await worksIn(pid, clusterFolder)) && lines[7]?.startsWith("ready")) return { pid, port };
  await endOrphans(clusterFolder);
  await rm(pidFile, { force: true });
  return undefined;
}

/** Waits for server processes whose postmaster is gone to exit, then kills them. */
async function endOrphans(clusterFolder: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const orphans = await processesIn(clusterFolder);
    if (orphans.length === 0) return;
    if (attempt === 40) for (const pid of orphans) signal(pid, "SIGQUIT");
    if (attempt === 70) for (const pid of orphans) signal(pid, "SIGKILL");
    await wait(100);
  }
  throw new Error(`Processes of an earlier Postgres still use ${clusterFolder}; end them and start again`);
}

async function processesIn(folder: string): Promise<number[]> {
  const entries = await readdir("/proc").catch(() => []);
  const pids = entries.map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const inside = await Promise.all(pids.map((pid) => worksIn(pid, folder)));
  return pids.filter((_pid, index) => inside[index]);
}

/** Whether a process works in the folder. Every Postgres process has its data folder as working directory. */
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
