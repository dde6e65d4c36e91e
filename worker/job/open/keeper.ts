import { uninterrupted } from "../../base/interruption";
import type { Journal } from "../../base/journal";
import { messageOf } from "../../base/problems";
import { keepWork } from "../../git/kept-branch";
import type { Worktree } from "../../git/worktree";

/** Keeps the work of an attempt, and knows the worktree that must stay because its work could not be kept. */
export interface Keeper {
  /** Before, there is nothing to keep. */
  begin(worktree: Worktree): void;
  /** Saves undelivered work on a kept branch. Returns the branch, or null if there is nothing. */
  keep(): Promise<string | null>;
  /** Keeps the work before it is undone in the worktree. */
  keepBeforeReset(): Promise<string | null>;
  /** The worktree, if its work could not be kept. */
  leftIn(): string | null;
  /** Removes the worktree, unless its work could not be kept. */
  removeWorktree(): Promise<void>;
}

/** Commits are kept under the name. */
export function openKeeper(name: string, journal: Journal): Keeper {
  let worktree: Worktree | null = null;
  /** Where the attempt began, which its steps move. */
  let start = "";
  let branch: string | null = null;
  let leftIn: string | null = null;
  const keep = async (): Promise<string | null> => {
    if (worktree === null) return null;
    const { folder, checkout, branch: destination, repository } = worktree;
    const work = { name, checkout, destination, start, prefix: repository.prefix };
    try {
      branch = (await uninterrupted(() => keepWork(folder, work))) ?? branch;
      leftIn = null;
    } catch (error) {
      leftIn = folder;
      journal.say(`The attempt's work could not be kept: ${messageOf(error)}`);
    }
    return branch;
  };
  return {
    begin(given) {
      worktree = given;
      start = given.start;
    },
    keep,
    async keepBeforeReset() {
      const kept = await keep();
      if (leftIn !== null) throw new Error("The work could not be kept");
      return kept;
    },
    leftIn: () => leftIn,
    async removeWorktree() {
      if (leftIn === null) await worktree?.remove();
    },
  };
}
