import { lstat } from "node:fs/promises";
import { join } from "node:path";

type GitAnswer = { code: number; output: string };

/**
 * A program may have hidden files from git (`--assume-unchanged`, `--skip-worktree`) or forged its index: comparisons
 * would miss what it changed. A sparse checkout stays sparse. Returns what was to be overlooked.
 */
export async function freshIndex(
  folder: string,
  run: (...args: readonly string[]) => Promise<GitAnswer>,
): Promise<string[]> {
  const listed = (await run("ls-files", "-v", "-z")).output.split("\0");
  const skipped = listed.filter((line) => /^s /i.test(line)).map(pathOf);
  const assumed = listed.filter((line) => /^[a-z] /.test(line)).map(pathOf);
  const isSparse =
    skipped.length > 0 && (await run("config", "--type=bool", "core.sparseCheckout")).output.trim() === "true";
  const tree = await run("write-tree");
  // What is in conflict makes no tree.
  if (tree.code === 0) await run("read-tree", tree.output.trim());
  else await clearFlags(run, assumed, skipped);
  if (isSparse) await run("sparse-checkout", "reapply");
  const outside = isSparse ? await missing(folder, skipped) : new Set<string>();
  return [...new Set([...assumed, ...skipped])].filter((path) => !outside.has(path));
}

const pathOf = (line: string): string => line.slice(2);

/** Paths in one call, far below the limit of a command line. */
const mostPaths = 500;

async function clearFlags(
  run: (...args: readonly string[]) => Promise<GitAnswer>,
  assumed: readonly string[],
  skipped: readonly string[],
): Promise<void> {
  const flags = [
    ["--no-assume-unchanged", assumed],
    ["--no-skip-worktree", skipped],
  ] as const;
  for (const [flag, paths] of flags) {
    for (let from = 0; from < paths.length; from += mostPaths) {
      await run("update-index", flag, "--", ...paths.slice(from, from + mostPaths));
    }
  }
}

async function missing(folder: string, paths: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const path of paths) {
    if ((await lstat(join(folder, path)).catch(() => null)) === null) found.add(path);
  }
  return found;
}
