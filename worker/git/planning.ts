import { readFile, rm, writeFile } from "node:fs/promises";
import { uninterrupted } from "../base/interruption";
import { reporterOf } from "./checkout";
import { git, gitPaths } from "./git";
import type { Worktree } from "./worktree";

/** Suffix of a worktree's file with the commit that it returns to, while an agent only plans in it. */
export const planningEnd = ".planning";

/** Runs a turn that may change nothing. Changes and commits are thrown away and said, even if the turn fails. */
export async function changingNothing<T>(worktree: Worktree, turn: () => Promise<T>): Promise<T> {
  const { folder, checkout } = worktree;
  const commit = worktree.branchTip ?? worktree.start;
  await writeFile(planningFile(folder), commit);
  const before = await standOf(folder);
  try {
    return await turn();
  } finally {
    await uninterrupted(async () => {
      await reportChanges(folder, before);
      await throwAway(folder, checkout, commit);
    });
  }
}

/** Throws away the changes of an attempt that was killed while it only planned. */
export async function forgetPlanning(folder: string, checkout: string): Promise<void> {
  const commit = await readFile(planningFile(folder), "utf8").catch(() => null);
  if (commit !== null) await throwAway(folder, checkout, commit);
}

function planningFile(folder: string): string {
  return `${folder}${planningEnd}`;
}

type Stand = { head: string; uncommitted: readonly string[] };

async function standOf(folder: string): Promise<Stand> {
  const head = await git(folder, "rev-parse", "HEAD");
  const changed = await gitPaths(folder, "diff", "--name-only", "HEAD");
  const made = await gitPaths(folder, "ls-files", "--others", "--exclude-standard");
  return { head, uncommitted: [...changed, ...made] };
}

async function reportChanges(folder: string, before: Stand): Promise<void> {
  const now = await standOf(folder);
  const committed = await gitPaths(folder, "diff", "--name-only", before.head, now.head);
  const names = [...committed, ...now.uncommitted].filter((name) => !before.uncommitted.includes(name));
  const title = "Thrown away: what was changed before the plan was approved";
  if (names.length > 0) reporterOf(folder)(title, [...new Set(names)]);
}

async function throwAway(folder: string, checkout: string, commit: string): Promise<void> {
  await git(folder, "reset", "--quiet", "--hard");
  await git(folder, "checkout", "--quiet", "--force", "-B", checkout, commit);
  await git(folder, "clean", "--quiet", "-ffd");
  await rm(planningFile(folder), { force: true });
}
