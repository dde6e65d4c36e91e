import { commitOf, git } from "./git";
import type { Repository } from "./repository";

/** Where it is kept beside the branches in which commit unfinished work began. */
export const begunFolder = "refs/backloom/begun";

/** Everything that the remote has, whatever the person's own clone is told to fetch. */
export async function fetchAll({ folder, remote }: Repository): Promise<void> {
  if (remote === null) return;
  const begun = `+${begunFolder}/*:${begunFolder}/*`;
  const branches = `+refs/heads/*:refs/remotes/${remote}/*`;
  await git(folder, "fetch", "--quiet", "--prune", remote, branches, begun);
}

/** The name of the main branch: as the remote says it, or what is checked out where there is none; null where git has not heard of it. */
export async function mainNameOf({ folder, remote }: Repository): Promise<string | null> {
  const name = remote === null ? "HEAD" : `refs/remotes/${remote}/HEAD`;
  const full = await git(folder, "symbolic-ref", "--quiet", name).catch(() => null);
  return full?.replace(remote === null ? "refs/heads/" : `refs/remotes/${remote}/`, "") ?? null;
}

/** The newest commit of a branch: of the remote where there is one, else of the repository itself. */
export async function tipOf({ folder, remote }: Repository, branch: string) {
  return commitOf(
    folder,
    remote === null ? `refs/heads/${branch}` : `refs/remotes/${remote}/${branch}`,
  );
}
