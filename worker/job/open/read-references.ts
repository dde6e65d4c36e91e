import { interruptible } from "../../base/interruption";
import { messageOf } from "../../base/problems";
import { addReference, type Reference } from "../../git/references";
import { followedAddresses } from "../../git/repository";
import type { Attempt } from "../attempt";
import { WorktreeTooLarge, watchDisk } from "./watch-disk";

/** The product's other repositories, for reading. The job continues without one that cannot be had, and says why. */
export async function openReferences(attempt: Attempt, worktree: string): Promise<Reference[]> {
  const { job, options, folder, heartbeat, journal, output } = attempt;
  const within = async <T>(grows: string, gigabytes: number, work: () => Promise<T>): Promise<T> => {
    const disk = watchDisk(grows, gigabytes, heartbeat);
    return interruptible(disk.heartbeat.signal, work).finally(disk.end);
  };
  const given = { named: followedAddresses(options), repositories: folder.repositories, worktree, within };
  const opened: Reference[] = [];
  for (const reference of job.references ?? []) {
    try {
      opened.push(await addReference({ ...given, reference }));
    } catch (error) {
      heartbeat.signal.throwIfAborted();
      const why = error instanceof WorktreeTooLarge ? "it has more than 2 GB" : attempt.clean(messageOf(error));
      const title = `Repository ${reference.name} left out: ${why}`.slice(0, 1_000);
      journal.say(title);
      output.add({ kind: "note", title, text: "" });
    }
  }
  return opened;
}
