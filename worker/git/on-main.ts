import { commitOf, git, gitEnd, gitPaths, isAncestor } from "./git";

/** How many of a file's latest changes are checked, each by a trial merge. */
const mostLooks = 20;

/** True if merging it changes nothing in main, or in main as it was after one of the latest changes to a file. */
export async function isOnMain(folder: string, main: string, sha: string): Promise<boolean> {
  const commit = await commitOf(folder, sha);
  if (commit === null) return false;
  if (await isAncestor(folder, commit, main)) return true;
  const base = await git(folder, "merge-base", main, commit).catch(() => null);
  if (base === null) return false;
  const [path] = await gitPaths(folder, "diff", "--name-only", base, commit);
  if (path === undefined) return true;
  const newest = ["rev-list", "--first-parent", `--max-count=${mostLooks}`, `${base}..${main}`];
  const touched = (await git(folder, ...newest, "--", path)).split("\n");
  if (touched[0] === "") return false;
  for (const point of [main, ...touched]) if (await hasAll(folder, point, commit)) return true;
  return false;
}

async function hasAll(folder: string, point: string, commit: string): Promise<boolean> {
  const merged = await gitEnd(folder, "merge-tree", "--write-tree", point, commit);
  return merged.code === 0 && merged.output.trim() === (await treeOf(folder, point));
}

function treeOf(folder: string, commit: string): Promise<string> {
  return git(folder, "rev-parse", `${commit}^{tree}`);
}
