import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { git } from "./git";
import type { Journal } from "./journal";
import { keepWork } from "./keep";
import { messageOf } from "./problems";
import { destinationOf, removeFolder, removeTree } from "./worktree";

/** Takes away what an earlier life of this worker has left, after keeping what its attempts had made. Its processes have ended. */
export async function removeLeftovers(worktrees: string, journal: Journal): Promise<void> {
  for (const name of await readdir(worktrees).catch(() => [])) {
    const folder = join(worktrees, name);
    if (name.endsWith(".files")) continue;
    await rescue(folder, name, journal).catch((error: unknown) =>
      journal.say(`What was left in ${folder} could not be kept: ${messageOf(error)}`),
    );
  }
  await removeTree(worktrees);
}

async function rescue(folder: string, name: string, journal: Journal): Promise<void> {
  const top = await git(folder, "rev-parse", "--show-toplevel").catch(() => null);
  if (top === null || !top.endsWith(name)) return;
  const checkout = await git(folder, "symbolic-ref", "--quiet", "--short", "HEAD").catch(() => "");
  const kept = await keepWork(folder, name, await destinationOf(folder, checkout));
  if (kept !== null) journal.say(`What an earlier attempt has left is kept on ${kept}`);
  const home = await git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir");
  await removeFolder(home, folder);
  if (checkout.startsWith("backloom/")) await git(home, "branch", "--quiet", "-D", checkout);
}
