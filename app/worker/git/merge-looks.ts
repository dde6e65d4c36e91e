import type { AwaitedHead } from "~/contract/agent-job";

/** How long nobody looks again whether a remote has what it had not: half a minute, one, two, and at most five. */
const firstPause = 30_000;
const longestPause = 300_000;

interface Look {
  /** What was looked for, and not found. */
  missed: ReadonlySet<string>;
  /** The main branch as it was then. */
  main: string;
  pause: number;
  again: number;
}

/** What was looked for on main branches in vain: an idle worker asks often, and its remotes are not asked each time. */
export interface MergeLooks {
  /** Whether the remote of an address is to be asked: it was not for a while, or for one of these never. */
  isDue(address: string, heads: readonly AwaitedHead[]): boolean;
  /** Whether there is something to look for on a main branch that stands here. */
  isNew(address: string, heads: readonly AwaitedHead[], main: string): boolean;
  /** These are not there. */
  note(address: string, missed: readonly AwaitedHead[], main: string): void;
  /** Whether a person has not been told yet that this worker does not look there. */
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
