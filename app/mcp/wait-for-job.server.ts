import type { Actor } from "~/db/rpc.server";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listProducts } from "~/nouns/products/operations.server";
import type { Hub } from "~/realtime/hub.server";
import { ContractError } from "~/wire/errors";
import { topics } from "~/wire/events";
import type { Claim, ClaimAgentJobInput } from "~/wire/workers/contract";
import type { ToolContext } from "./tool.server";

/** Longest wait of one call, below the 60 seconds after which clients time out. */
export const longestWaitSeconds = 50;
/** Interval of polling the queue, because leases and waiting times end without an event. */
const recheckMilliseconds = 10_000;
/** Maximum products a worker listens to. Jobs of others are found by polling. */
const mostTopics = 50;

/** Maximum waiting calls per user in this process, because each listens to products and polls the queue. */
const mostWaiting = 20;
const waiting = new Map<string, number>();

/**
 * Claims a job, waiting until there is one, the time is over or the caller hangs up. Answers a worker without quota at
 * once, because waiting would not help.
 */
export async function waitForJob(context: ToolContext, seconds: number, claim: ClaimAgentJobInput): Promise<Claim> {
  const first = await claimAgentJob(context.actor, claim);
  if (isFinal(first) || seconds === 0) return first;
  const leave = takePlace(context.principal.user_id);
  try {
    return await waitForRing(context, seconds, claim, first);
  } finally {
    leave();
  }
}

/** Takes one of the user's places for waiting calls. The returned function frees it. */
function takePlace(userId: string): () => void {
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

async function waitForRing(
  { actor, principal, services, signal }: ToolContext,
  seconds: number,
  claim: ClaimAgentJobInput,
  first: Claim,
): Promise<Claim> {
  const productIds = await productsOf(actor, claim);
  const bell = openJobBell(services.hub, principal.user_id, productIds);
  const deadline = performance.now() + seconds * 1000;
  try {
    for (let latest = first; ; latest = await claimAgentJob(actor, claim)) {
      const left = deadline - performance.now();
      if (isFinal(latest) || left <= 0) return latest;
      await bell.nextRing(Math.ceil(Math.min(left, recheckMilliseconds)), signal);
      // Trap: a caller who hung up must not be given a job, because no one would work on it.
      if (signal.aborted) return latest;
    }
  } finally {
    bell.close();
  }
}

function isFinal({ job, reason }: Claim): boolean {
  return job !== null || reason?.code === "quota";
}

async function productsOf(actor: Actor, claim: ClaimAgentJobInput): Promise<string[]> {
  if (claim.product_id !== undefined) return [claim.product_id];
  const products = await listProducts(actor);
  return products.slice(0, mostTopics).map(({ id }) => id);
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
