import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "./files";

/** Suffix of the folder next to a worktree with the worker's own notes. No sandbox shows it to a job. */
export const notesEnd = ".files";
const mostBytes = 1_000_000;

export function notesOf(worktrees: string, attempt: string): string {
  return join(worktrees, `${attempt}${notesEnd}`);
}

/** The notes of a name that earlier runs of the worker left. What is in a worktree is the job's and not read. */
export async function notesNamed(worktrees: string, name: string): Promise<string[]> {
  const folders = (await readdir(worktrees).catch(() => [])).filter((one) =>
    one.endsWith(notesEnd),
  );
  const read = (folder: string) => readPlain(join(worktrees, folder, name), mostBytes);
  return (await Promise.all(folders.map(read))).filter((text) => text !== null);
}
