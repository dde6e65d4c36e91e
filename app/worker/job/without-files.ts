import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { uninterrupted } from "../base/interruption";
import { git } from "../git/git";
import { baseEnd, makeFolder, removeFolder, type Worktree } from "../git/worktree";

/**
 * A folder on the work's branch, clean and without any of its files, for commands with the user's login: what a job
 * wrote, such as a repository of its own in a folder, is not there for git or another program to act on.
 */
export async function withoutFiles<T>(
  { folder, repository, checkout, main }: Worktree,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const bare = join(dirname(folder), `${basename(folder)}.pr${baseEnd}`);
  await removeFolder(repository.folder, bare);
  try {
    await makeFolder(bare, repository, ["--no-checkout", "--force", checkout], main);
    const own = await git(bare, "rev-parse", "--absolute-git-dir");
    await mkdir(join(own, "info"), { recursive: true });
    await writeFile(join(own, "info", "sparse-checkout"), "!/*\n");
    await git(bare, "-c", "core.sparseCheckout=true", "read-tree", "-m", "-u", "HEAD");
    return await use(bare);
  } finally {
    await uninterrupted(() => removeFolder(repository.folder, bare));
  }
}
