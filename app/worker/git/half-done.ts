import { commitOf, conflictedPaths, gitEnd } from "./git";

/**
 * What is wrong with a merge that a program began and did not end; null if nothing is. Call it before anything is
 * staged: that would hide it.
 */
export async function halfDone(folder: string): Promise<string | null> {
  const conflicted = await conflictedPaths(folder);
  const files = conflicted.length > 0 ? conflicted : await marked(folder);
  if (files.length === 0) return null;
  const where = files.slice(0, 20).join(", ");
  return `A merge was left half done: ${where} still in conflict. End it or abort it, so that the work can be delivered.`;
}

/** Files of an unfinished merge, cherry-pick or revert that were staged with conflict markers. */
async function marked(folder: string): Promise<string[]> {
  const heads = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
  const begun = await Promise.all(heads.map((head) => commitOf(folder, head)));
  if (begun.every((commit) => commit === null)) return [];
  const { output } = await gitEnd(folder, "diff", "--check", "HEAD");
  const files = output.matchAll(/^(.+):\d+: leftover conflict marker$/gm);
  return [...new Set([...files].map(([, file = ""]) => file))];
}
