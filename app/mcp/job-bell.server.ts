import { topics } from "~/contract/topics";
import type { Hub } from "~/realtime/hub.server";

/** Rings when something happened that may have made a job claimable. */
export interface JobBell {
  /** Resolves at the next ring, at once after one that nobody heard, after `milliseconds`, or when aborted. */
  nextRing(milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Changes after which a claim may find what it did not find before: a product may ask for less, a token may have ended. */
const ringing = new Set(["job", "sprint_run", "question", "product", "api_token"]);

/** Listens to the products of a worker and to the questions of its user over the hub of this process. */
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
 * Ends with the next ring, the time, or the caller. The timer is one that the process holds: a signal of `AbortSignal.timeout`
 * inside `AbortSignal.any` is held by nobody, and after a garbage collection its time never comes.
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
