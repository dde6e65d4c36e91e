import { constants, lstat, open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Reads a file where an agent may write; null if it is missing or too large. Regular files only: a link could point to
 * what the agent may not read or what never ends, and a pipe would block.
 */
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
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
