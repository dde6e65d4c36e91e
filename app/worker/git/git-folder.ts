import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "../base/read-plain";

/**
 * What may stay in a worktree's git folder after a program ran. Git acts on what else it finds there: an operation
 * begun by whoever wrote it, which may delete and move any branch when it is ended.
 */
const mayStay = new Set([
  ...["HEAD", "index", "commondir", "gitdir", "config.worktree", "locked", "logs", "info"],
  ...["modules", "reftable", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "SQUASH_MSG"],
  ...["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"],
]);
const partOfIndex = /^sharedindex\.[0-9a-f]{40,64}$/;

/**
 * Removes what may not stay. A rebase of the branch is undone, so that all its commits count: HEAD is set to the branch
 * again. Returns true if the worktree's files must follow.
 */
export async function cleanGitFolder(gitFolder: string, branch: string | null): Promise<boolean> {
  const isRebased = branch !== null && (await isRebasing(gitFolder, branch));
  for (const name of await readdir(gitFolder).catch(() => [])) {
    if (mayStay.has(name) || partOfIndex.test(name)) continue;
    await rm(join(gitFolder, name), { recursive: true, force: true });
  }
  if (!isRebased) return false;
  await rm(join(gitFolder, "HEAD"), { recursive: true, force: true });
  await writeFile(join(gitFolder, "HEAD"), `ref: ${branch}\n`);
  return true;
}

async function isRebasing(gitFolder: string, branch: string): Promise<boolean> {
  const names = ["rebase-merge/head-name", "rebase-apply/head-name"];
  const read = (name: string) => readPlain(join(gitFolder, name), 5_000);
  const [head, ...rebased] = await Promise.all(["HEAD", ...names].map(read));
  return !head?.startsWith("ref: ") && rebased.some((text) => text?.trim() === branch);
}
