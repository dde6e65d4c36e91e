import { topics } from "~/contract/topics";
import type { Hub } from "~/realtime/hub.server";

/** Rings when a change may have made a job claimable. */
export interface JobBell {
  /** Resolves at the next ring, at once if it rang since the last call, after `milliseconds`, or when aborted. */
  nextRing(milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Entities whose change may alter the result of a claim, such as a product with relaxed rules or an ended token. */
const ringing = new Set(["job", "sprint_run", "question", "product", "api_token"]);

/** Listens over the hub to a worker's products and its user's questions. */
export function openJobBell(hub: Hub, userId: string, productIds: readonly string[]): JobBell {
  const rings = new EventTarget();
  let hasRung = false;
  const ring = (): void => {
    hasRung = true;
    rings.dispatchEvent(new Event("ring"));
  };
  const viewer = {
    event: ({ change }: { change: { entity: string } }) => {
      if (ringing.has(change.entity)) ring();
    },
    lost: () => undefined,
    resync: ring,
    missed: () => {
      ring();
      return true;
    },
  };
  const names = [topics.user(userId), ...productIds.map(topics.product)];
  const subscriptions = names.map((name) => hub.subscribe(name, viewer));
  return {
    async nextRing(milliseconds, signal) {
      if (!hasRung && !signal.aborted) {
        await firstOf(rings, milliseconds, signal);
      }
      hasRung = false;
    },
    close: () => {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

/**
 * Resolves at the next ring, after the time, or on abort. Trap: `AbortSignal.timeout` inside `AbortSignal.any` can be
 * garbage-collected and then never fires, hence `setTimeout`.
 */
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
