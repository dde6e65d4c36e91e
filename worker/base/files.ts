import { constants, lstat, open, readdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Null if missing or too large. Regular files only: a link could lead to what never ends, and a pipe would block. */
export async function readPlain(file: string, mostBytes: number): Promise<string | null> {
  const parent = await lstat(dirname(file)).catch(() => null);
  if (!parent?.isDirectory()) return null;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= mostBytes ? await handle.readFile("utf8") : null;
  } finally {
    await handle.close();
  }
}

/** Writes a file that is whole after a kill at any byte: the old one or the new one. */
export async function writeWhole(file: string, text: string, mode = 0o666): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await rename(`${file}.new`, file);
}

/** Suffix of the folder next to a worktree with the worker's own notes. No sandbox shows it to a job. */
export const notesEnd = ".files";
const mostBytes = 1_000_000;

export function notesOf(worktrees: string, attempt: string): string {
  return join(worktrees, `${attempt}${notesEnd}`);
}

/** The notes of a name that earlier runs of the worker left. What is in a worktree is the job's and not read. */
export async function notesNamed(worktrees: string, name: string): Promise<string[]> {
  const folders = (await readdir(worktrees).catch(() => [])).filter((one) => one.endsWith(notesEnd));
  const read = (folder: string) => readPlain(join(worktrees, folder, name), mostBytes);
  return (await Promise.all(folders.map(read))).filter((text) => text !== null);
}
