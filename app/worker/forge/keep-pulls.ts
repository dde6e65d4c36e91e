import { pullTextsSchema } from "~/nouns/pulls/contract";
import { messageOf } from "../base/problems";
import { bringPull, type PullTools } from "./bring-pull";
import { isOfOne } from "./look-at-pulls";

/** What was last written for a branch, or when it is tried again. */
interface Kept {
  digest: string;
  failures: number;
  notBefore: number;
}

const mostBrought = 20;
const shortestPause = 60_000;
const longestPause = 1_800_000;

/**
 * Opens pull requests of done work that could not be opened, and brings those up to date whose work was proven after its
 * last push: by CI, a person or another worker.
 */
export function pullKeeping(
  service: PullTools["service"],
  productId: string,
  now = () => performance.now(),
) {
  const kept = new Map<string, Kept>();
  return async (open: () => Promise<PullTools>): Promise<void> => {
    const path = `/api/products/${productId}/pull-texts`;
    const { draft, branches } = await service.read(path, pullTextsSchema);
    const due = branches.filter(({ branch, digest }) => isDue(kept.get(branch), digest, now()));
    if (due.length === 0) return;
    const tools = await open();
    for (const { digest, ...wish } of due.slice(0, mostBrought)) {
      const failures = await bringPull(tools, { ...wish, isDraftFirst: draft })
        .then(() => 0)
        .catch((error: unknown) => {
          if (!isOfOne(error)) throw error;
          tools.journal.sayOnce(`${wish.branch} has no pull request: ${messageOf(error)}`);
          return (kept.get(wish.branch)?.failures ?? 0) + 1;
        });
      const pause = Math.min(longestPause, shortestPause * 2 ** failures);
      kept.set(wish.branch, { digest, failures, notBefore: now() + pause });
    }
  };
}

function isDue(before: Kept | undefined, digest: string, now: number): boolean {
  if (before === undefined) return true;
  return before.failures === 0 ? before.digest !== digest : before.notBefore <= now;
}
