import { readFile, writeFile } from "node:fs/promises";
import { markOf } from "../base/work-folder";

/** Where a worktree comes from. Stored next to it, so that no one need trust what a program wrote inside. */
interface WorktreeNote {
  /** The repository's git folder. */
  home: string;
  /** The branch it was made for; null if there is none. */
  branch: string | null;
  /** Commit of the main branch; empty if unknown. */
  base: string;
  /** Where the names of our branches begin; undefined for the usual one. */
  prefix: string | undefined;
  /** The process that made it (`markOf`). */
  maker: string;
}

/** Suffix of the file next to a worktree. */
export const noteEnd = ".home";

/** Suffix of the file next to a worktree that a person works in. */
export const takenEnd = ".taken";

export function notePath(folder: string): string {
  return `${folder}${noteEnd}`;
}

export async function writeNote(
  folder: string,
  { home, branch, base, prefix }: Omit<WorktreeNote, "maker">,
): Promise<void> {
  const lines = [home, branch ?? "", base, prefix ?? "", await markOf(process.pid)];
  await writeFile(notePath(folder), lines.join("\n"));
}

export async function noteOf(folder: string): Promise<WorktreeNote | null> {
  const text = await readFile(notePath(folder), "utf8").catch(() => null);
  if (text === null) return null;
  const [home = "", branch = "", base = "", prefix = "", maker = ""] = text.split("\n");
  return { home, branch: branch || null, base, prefix: prefix || undefined, maker };
}
