import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** In the environment of all that a worker starts. */
const mark = "BACKLOOM_WORKTREES";
const mostRounds = 10;

/** Notes which process group works for us, so that a later life of this worker can end it. */
export async function noteCommand(file: string, pid: number): Promise<void> {
  await writeFile(file, JSON.stringify({ pid, began: await beginningOf(pid) }));
}

/** Says whose every process is that this one starts from now on, and whatever those start. */
export function markProcesses(worktrees: string): void {
  process.env[mark] = worktrees;
}

/** Ends the commands of an earlier life of this worker: nobody would ever look at their work. */
export async function endOrphans(worktrees: string): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const text = await readFile(join(worktrees, name, "command.pid"), "utf8").catch(() => null);
    if (text !== null) await endOrphan(text);
  }
  await endStrays(worktrees);
}

/**
 * Agents give each of their shell commands a process group of its own, which outlives them. They are known by the mark that they
 * began with; the system tells of it on Linux. Whoever is ended may have started another one meanwhile: it is looked again.
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
    // It ended by itself meanwhile.
  }
}

/** When a process began: its number alone may have been given to another one. */
async function beginningOf(pid: number): Promise<string | null> {
  return run("ps", ["-o", "lstart=", "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}
