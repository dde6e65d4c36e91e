import type { AwaitedHead } from "~/nouns/agent-jobs/contract";

/** Pause before a remote is asked again: 30 seconds, doubling, up to 5 minutes. */
const firstPause = 30_000;
const longestPause = 300_000;

interface Look {
  /** Heads that were not found. */
  missed: ReadonlySet<string>;
  /** Main branch at that time. */
  main: string;
  pause: number;
  again: number;
}

/** Remembers what main branches lacked. An idle worker polls often, and this limits calls to remotes. */
export interface MergeLooks {
  /** True if the remote should be asked: its pause is over, or a head is new. */
  isDue(address: string, heads: readonly AwaitedHead[]): boolean;
  /** True if there is something to look for at this commit of main. */
  isNew(address: string, heads: readonly AwaitedHead[], main: string): boolean;
  /** Notes heads that are not there. */
  note(address: string, missed: readonly AwaitedHead[], main: string): void;
  /** True the first time a person is to be told that this worker may not look there. */
  isFirstRefusal(address: string): boolean;
}

export function openMergeLooks(): MergeLooks {
  const looks = new Map<string, Look>();
  const refused = new Set<string>();
  const hasAll = (look: Look, heads: readonly AwaitedHead[]) =>
    heads.every((head) => look.missed.has(nameOf(head)));
  return {
    isDue(address, heads) {
      const look = looks.get(address);
      return look === undefined || !hasAll(look, heads) || performance.now() >= look.again;
    },
    isNew(address, heads, main) {
      const look = looks.get(address);
      return look === undefined || !hasAll(look, heads) || look.main !== main;
    },
    note(address, missed, main) {
      const earlier = looks.get(address);
      const isSame = earlier !== undefined && hasAll(earlier, missed);
      const pause = isSame ? Math.min(longestPause, earlier.pause * 2) : firstPause;
      const again = performance.now() + pause;
      looks.set(address, { missed: new Set(missed.map(nameOf)), main, pause, again });
    },
    isFirstRefusal(address) {
      const isFirst = !refused.has(address);
      refused.add(address);
      return isFirst;
    },
  };
}

function nameOf({ job_id, head_sha }: AwaitedHead): string {
  return `${job_id} ${head_sha}`;
}
