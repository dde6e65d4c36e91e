import { ContractError } from "~/wire/errors";
import { type ChangeEvent, topics } from "~/wire/events";
import type { Hub } from "./hub.server";

/** Maximum waiting calls per user in this process, because each listens to products and polls the queue. */
const mostWaiting = 20;
const waiting = new Map<string, number>();

/** Takes one of the user's places for waiting calls. The returned function frees it. */
export function takePlace(userId: string): () => void {
  const taken = waiting.get(userId) ?? 0;
  if (taken >= mostWaiting) {
    throw new ContractError(
      429,
      `${mostWaiting} of your calls wait for a job already. Let some of them end first, or ask with wait_seconds: 0.`,
      { retryAfter: 10 },
    );
  }
  waiting.set(userId, taken + 1);
  return () => {
    const left = (waiting.get(userId) ?? 1) - 1;
    if (left > 0) waiting.set(userId, left);
    else waiting.delete(userId);
  };
}

/** Rings when a change may have made a job claimable. */
interface JobBell {
  /** Resolves at the next ring, at once if it rang since the last call, after `milliseconds`, or when aborted. */
  nextRing(milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Entities whose change may alter the result of a claim, such as a product with relaxed rules or an ended token. */
const ringing = new Set(["job", "sprint_run", "question", "product", "api_token"]);

/** Listens over the hub to a worker's products and its user's questions. */
export function openJobBell(
  hub: Hub,
  userId: string,
  productIds: readonly string[],
  isHeard = ({ entity }: ChangeEvent) => ringing.has(entity),
): JobBell {
  const rings = new EventTarget();
  let hasRung = false;
  const ring = (): void => {
    hasRung = true;
    rings.dispatchEvent(new Event("ring"));
  };
  const viewer = {
    event: ({ change }: { change: ChangeEvent }) => {
      if (isHeard(change)) ring();
    },
    lost: () => undefined,
    resync: ring,
    missed: ring,
  };
  const names = [topics.user(userId), ...productIds.map(topics.product)];
  const subscriptions = names.map((name) => hub.subscribe(name, viewer));
  return {
    async nextRing(milliseconds, signal) {
      if (!hasRung && !signal.aborted) await firstOf(rings, milliseconds, signal);
      hasRung = false;
    },
    close: () => {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

/** Trap: `AbortSignal.timeout` inside `AbortSignal.any` can be garbage-collected and not fire, hence `setTimeout`. */
function firstOf(rings: EventTarget, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      rings.removeEventListener("ring", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    rings.addEventListener("ring", end);
    signal.addEventListener("abort", end);
  });
}
