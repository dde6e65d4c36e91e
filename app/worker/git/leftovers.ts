import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { takeOver } from "../sandbox/job-store";
import type { Journal } from "../service/journal";
import { notesEnd } from "../service/notes";
import { messageOf } from "../service/problems";
import { rememberCheckout } from "./checkout";
import { git } from "./git";
import { keepWork } from "./keep";
import { baseEnd, destinationOf, homeNote, homeOf, removeFolder, removeTree } from "./worktree";

/**
 * Removes worktrees left by an earlier run of this worker, after keeping their work. Call it when its processes have
 * ended.
 */
export async function removeLeftovers(worktrees: string, journal: Journal): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const folder = join(worktrees, name);
    if ([notesEnd, ".git", homeNote].some((end) => name.endsWith(end))) continue;
    await rescue(folder, name, journal).catch((error: unknown) =>
      journal.say(`The work in ${folder} could not be kept: ${messageOf(error)}`),
    );
  }
  for (const name of await readdir(worktrees).catch(() => [])) {
    const folder = join(worktrees, name);
    if (await isOlder(folder)) {
      journal.say(`${folder} was left by an earlier version: check it and remove it yourself`);
    } else await removeTree(folder);
  }
}

/** A worktree without a note: only its own `.git` names its repository, and an agent may have written that. */
async function isOlder(folder: string): Promise<boolean> {
  const hasGit = await lstat(join(folder, ".git")).catch(() => null);
  return hasGit !== null && (await homeOf(folder)) === null;
}

async function rescue(folder: string, name: string, journal: Journal): Promise<void> {
  const note = await homeOf(folder);
  if (note === null || !(await rememberCheckout(folder, note))) return;
  const { home } = note;
  if (name.endsWith(baseEnd)) return removeFolder(home, folder);
  await takeOver(folder);
  const checkout = await git(folder, "symbolic-ref", "--quiet", "--short", "HEAD").catch(() => "");
  const kept = await keepWork(folder, name, await destinationOf(folder, checkout));
  if (kept !== null) journal.say(`The work of an earlier attempt is kept on ${kept}`);
  await removeFolder(home, folder);
  if (checkout.startsWith("backloom/")) await git(home, "branch", "--quiet", "-D", checkout);
}
