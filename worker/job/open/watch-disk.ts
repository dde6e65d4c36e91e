import { lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bytesOf, formatBytes, freeBytes, gigabyte } from "../../base/disk";
import { git } from "../../git/git";
import type { Heartbeat } from "../../service/heartbeat";

/** The worktree has grown beyond the job's disk limit. */
export class WorktreeTooLarge extends Error {}

const shareOfFree = 0.9;
const leastPause = 3_000;
/** Measuring a large worktree is slow, so the pause is a multiple of the time it took. */
const pausesPerCheck = 20;

interface DiskWatch {
  /** The attempt's heartbeat; also aborts when the worktree is too large. */
  heartbeat: Heartbeat;
  end(): void;
}

/** Ends an attempt whose worktree grows by more than its limit, or by more than 90% of the free space at its start. */
export function watchDisk(folder: string, gigabytes: number, heartbeat: Heartbeat): DiskWatch {
  const [over, ended] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([heartbeat.signal, over.signal]);
  const check = async (): Promise<void> => {
    const [first, free] = await Promise.all([bytesOf(folder), freeBytes(folder)]);
    const most = Math.min(gigabytes * gigabyte, free * shareOfFree);
    for (;;) {
      const begun = performance.now();
      const grown = (await bytesOf(folder)) - first;
      if (grown > most) return over.abort(new WorktreeTooLarge(sentence(grown, most)));
      const wait = Math.max(leastPause, pausesPerCheck * (performance.now() - begun));
      await pause(wait, undefined, { signal: ended.signal, ref: false });
    }
  };
  // If measuring fails, there is no limit.
  check().catch(() => undefined);
  const confirm = async (): Promise<void> => {
    await heartbeat.confirm();
    signal.throwIfAborted();
  };
  return { heartbeat: { ...heartbeat, signal, confirm }, end: () => ended.abort() };
}

function sentence(grown: number, most: number): string {
  return `The worktree grew by ${formatBytes(grown)}, more than the ${formatBytes(most)} that --disk and the free space allow. Large uncommitted files are not kept. If the work needs it, start the worker with a larger --disk.`;
}

/** Larger than 1% of the limit. Call it before work is kept in git, which would need the same space again. */
export async function removeLargeFiles(folder: string, gigabytes: number): Promise<void> {
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const list = await git(folder, ...args).catch(() => "");
  for (const name of list.split("\0").filter(Boolean)) {
    const file = join(folder, name);
    const found = await lstat(file).catch(() => null);
    if (found !== null && found.size > (gigabytes * gigabyte) / 100) await rm(file, { force: true });
  }
}
