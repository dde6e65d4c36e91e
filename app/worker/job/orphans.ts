import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Set in the environment of everything a worker starts. */
const mark = "BACKLOOM_WORKTREES";
const mostRounds = 10;

/** Stores a process group's leader, so that the worker's next start can end the group. */
export async function noteCommand(file: string, pid: number): Promise<void> {
  await writeFile(file, JSON.stringify({ pid, began: await beginningOf(pid) }));
}

/** Marks all processes started from now on, and their children, as this worker's. */
export function markProcesses(worktrees: string): void {
  process.env[mark] = worktrees;
}

/** Ends commands of an earlier run of this worker; nobody would use their work. */
export async function endOrphans(worktrees: string): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const text = await readFile(join(worktrees, name, "command.pid"), "utf8").catch(() => null);
    if (text !== null) await endOrphan(text);
  }
  await endStrays(worktrees);
}

/**
 * Agents run shell commands in own process groups, which outlive them. Finds these by the mark in their environment
 * (Linux only). Repeats, as a process may have started another one meanwhile.
 */
async function endStrays(worktrees: string): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    const strays = await findMarked(worktrees);
    if (strays.length === 0) return;
    for (const pid of strays) end(pid);
  }
}

async function findMarked(worktrees: string): Promise<number[]> {
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const wanted = `\0${mark}=${worktrees}\0`;
  const found: number[] = [];
  for (const name of processes) {
    if (Number(name) === process.pid) continue;
    const environment = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
    if (`\0${environment}\0`.includes(wanted)) found.push(Number(name));
  }
  return found;
}

async function endOrphan(text: string): Promise<void> {
  const [, pid, began] = /^\{"pid":(\d+),"began":"([^"]+)"\}$/.exec(text) ?? [];
  if (pid === undefined || began !== (await beginningOf(Number(pid)))) return;
  end(-Number(pid));
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** Start time of a process; its id alone may have been reused. */
async function beginningOf(pid: number): Promise<string | null> {
  return run("ps", ["-o", "lstart=", "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}
