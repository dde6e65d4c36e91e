import { rm } from "node:fs/promises";
import { join } from "node:path";
import { begunRefspec } from "./begun";
import { commitOf, committer, git } from "./git";
import { endOrphans } from "./orphans";
import type { Repository } from "./repository";

/** A checkout for one attempt, apart from every other attempt and from the person's own checkout. */
export interface Worktree {
  folder: string;
  repository: Repository;
  branch: string;
  /** Where we last saw or left the branch, null while it does not exist. */
  branchTip: string | null;
  /** Where this attempt begins. */
  start: string;
  remove(): Promise<void>;
}

interface WorktreeWish {
  repository: Repository;
  parent: string;
  name: string;
  branch: string;
}

/**
 * Makes the worktree on the branch of the job: on its tip when an earlier job or run has left it, else on the main branch.
 * The head is detached, so that a branch which a dead attempt still has checked out is no obstacle.
 */
export async function addWorktree(wish: WorktreeWish): Promise<Worktree> {
  const { repository, branch } = wish;
  const folder = join(wish.parent, wish.name);
  await removeFolder(repository, folder);
  await fetchAll(repository);
  const branchTip = await tipOf(repository, branch);
  const start = branchTip ?? (await mainOf(repository));
  await git(repository.folder, "worktree", "add", "--quiet", "--detach", folder, start);
  const remove = () => removeFolder(repository, folder);
  return { folder, repository, branch, branchTip, start, remove };
}

/** Takes away what earlier processes of this worker have left. */
export async function removeLeftovers(worktrees: string): Promise<void> {
  await endOrphans(worktrees);
  await rm(worktrees, { recursive: true, force: true });
}

/** Everything that the remote has, whatever the person's own clone is told to fetch. */
export async function fetchAll({ folder, remote }: Repository): Promise<void> {
  if (remote === null) return;
  const branches = `+refs/heads/*:refs/remotes/${remote}/*`;
  await git(folder, "fetch", "--quiet", "--prune", remote, branches, begunRefspec);
}

/** The newest commit of a branch: of the remote where there is one, else of the repository itself. */
export async function tipOf({ folder, remote }: Repository, branch: string) {
  return commitOf(
    folder,
    remote === null ? `refs/heads/${branch}` : `refs/remotes/${remote}/${branch}`,
  );
}

async function mainOf({ folder, remote }: Repository): Promise<string> {
  const main = remote === null ? null : await commitOf(folder, `refs/remotes/${remote}/HEAD`);
  const head = main ?? (await commitOf(folder, "HEAD"));
  if (head !== null) return head;
  throw new Error("The repository has no commit to begin from");
}

/** Commits what the command has left uncommitted, so that no work is lost. */
export async function commitLeftovers(folder: string, message: string): Promise<void> {
  if ((await git(folder, "status", "--porcelain")) === "") return;
  await git(folder, "add", "--all");
  await git(folder, ...committer, "commit", "--quiet", "--no-verify", "-m", message);
}

async function removeFolder({ folder: home }: Repository, folder: string): Promise<void> {
  await git(home, "worktree", "remove", "--force", folder).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  await git(home, "worktree", "prune").catch(() => undefined);
}
