import { readdir, readFile, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { notesNamed } from "./files";
import { run } from "./run";

/** Set in the environment of everything a worker starts. */
const mark = "BACKLOOM_WORKTREES";
const mostRounds = 50;

/** Stores a process group's leader, so that the worker's next start can end the group. */
export async function noteCommand(file: string, pid: number): Promise<void> {
  await writeFile(file, JSON.stringify({ pid, began: await beginningOf(pid) }));
}

/** Marks all processes started from now on, and their children, as this worker's. */
export function markProcesses(worktrees: string): void {
  process.env[mark] = worktrees;
}

/** Ends commands of an earlier run of this worker; no one would use their work. */
export async function endOrphans(worktrees: string): Promise<void> {
  for (const text of await notesNamed(worktrees, "command.pid")) await endOrphan(text, worktrees);
  await endMarked(mark, worktrees);
}

/** Ends what a job's programs left running in the background, before its worktree goes. */
export function endLeftRunning(jobId: string): Promise<void> {
  return endMarked("BACKLOOM_JOB_ID", jobId);
}

/** The same of a preview. */
export function endPreview(id: string): Promise<void> {
  return endMarked("BACKLOOM_PREVIEW", id);
}

/** Agents' commands outlive their process group: found by their environment (Linux only), until none is left. */
async function endMarked(name: string, value: string): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    const strays = await findMarked(name, value);
    if (strays.length === 0) return;
    for (const pid of strays) end(pid);
    // On a busy machine, what is killed ends only when its turn comes.
    await wait(20);
  }
}

async function findMarked(name: string, value: string): Promise<number[]> {
  const processes = (await readdir("/proc").catch(() => [])).filter((one) => /^\d+$/.test(one));
  const spared = await ownLine();
  const found: number[] = [];
  for (const pid of processes.map(Number)) {
    if (!spared.has(pid) && (await isMarked(pid, name, value))) found.push(pid);
  }
  return found;
}

/** This process and those above it, such as the shell in which a person types. */
async function ownLine(): Promise<Set<number>> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 1 && !found.has(pid); ) {
    found.add(pid);
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    pid = Number(/^\d+ \(.*\) \S (\d+)/s.exec(text)?.[1] ?? 0);
  }
  return found;
}

async function isMarked(pid: number, name: string, value: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return `\0${environment}\0`.includes(`\0${name}=${value}\0`);
}

async function endOrphan(text: string, worktrees: string): Promise<void> {
  const [, noted, began] = /^\{"pid":(\d+),"began":"([^"]+)"\}$/.exec(text) ?? [];
  const pid = Number(noted);
  if (noted === undefined || pid <= 1 || began !== (await beginningOf(pid))) return;
  if (process.platform === "linux" && !(await isMarked(pid, mark, worktrees))) return;
  end(-pid);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** Start time of a process, in the same words in every language and time zone; its id alone may have been reused. */
export function beginningOf(pid: number): Promise<string | null> {
  return columnOf(pid, "lstart");
}

/** Whether a process has ended and waits for its parent. */
export async function isZombie(pid: number): Promise<boolean> {
  return (await columnOf(pid, "stat"))?.startsWith("Z") ?? false;
}

function columnOf(pid: number, column: string): Promise<string | null> {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  return run("ps", ["-o", `${column}=`, "-p", String(pid)], { env }).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}
