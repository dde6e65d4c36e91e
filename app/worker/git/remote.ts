import { commitOf, git } from "./git";
import type { Repository } from "./repository";

/** Refs that note where a branch's unfinished work begins. */
export const begunFolder = "refs/backloom/begun";

/** Fetches all branches and notes, whatever refspec the clone has. */
export async function fetchAll({ folder, remote }: Repository): Promise<void> {
  if (remote === null) return;
  const begun = `+${begunFolder}/*:${begunFolder}/*`;
  const branches = `+refs/heads/*:refs/remotes/${remote}/*`;
  await git(folder, "fetch", "--quiet", "--prune", remote, branches, begun);
}

/** Name of the main branch: the remote's default branch, or without a remote the one checked out. Null if unknown. */
export async function mainNameOf({ folder, remote }: Repository): Promise<string | null> {
  const name = remote === null ? "HEAD" : `refs/remotes/${remote}/HEAD`;
  const full = await git(folder, "symbolic-ref", "--quiet", name).catch(() => null);
  return full?.replace(remote === null ? "refs/heads/" : `refs/remotes/${remote}/`, "") ?? null;
}

/** Tip of a branch: on the remote if there is one, otherwise in the repository. */
export async function tipOf({ folder, remote }: Repository, branch: string) {
  return commitOf(
    folder,
    remote === null ? `refs/heads/${branch}` : `refs/remotes/${remote}/${branch}`,
  );
}
