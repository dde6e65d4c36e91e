import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Notes which process group works for us, so that a later life of this worker can end it. */
export async function noteCommand(file: string, pid: number): Promise<void> {
  await writeFile(file, JSON.stringify({ pid, began: await beginningOf(pid) }));
}

/** Ends the commands of an earlier life of this worker: nobody would ever look at their work. */
export async function endOrphans(worktrees: string): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const text = await readFile(join(worktrees, name, "command.pid"), "utf8").catch(() => null);
    if (text !== null) await endOrphan(text);
  }
}

async function endOrphan(text: string): Promise<void> {
  const [, pid, began] = /^\{"pid":(\d+),"began":"([^"]+)"\}$/.exec(text) ?? [];
  if (pid === undefined || began !== (await beginningOf(Number(pid)))) return;
  try {
    process.kill(-Number(pid), "SIGKILL");
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
