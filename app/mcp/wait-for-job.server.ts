import type { Actor } from "~/db/rpc.server";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { listProducts } from "~/nouns/products/operations.server";
import { openJobBell, takePlace } from "~/realtime/job-bell";
import type { Claim, ClaimAgentJobInput } from "~/wire/workers/contract";
import type { ToolContext } from "./tool.server";

/** Longest wait of one call, below the 60 seconds after which clients time out. */
export const longestWaitSeconds = 50;
/** Interval of polling the queue, because leases and waiting times end without an event. */
const recheckMilliseconds = 10_000;
/** Maximum products a worker listens to. Jobs of others are found by polling. */
const mostTopics = 50;

/** Waits until there is a job, the time is over or the caller hangs up. Without quota it answers at once. */
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

const isFinal = ({ job, reason }: Claim): boolean => job !== null || reason?.code === "quota";

async function productsOf(actor: Actor, claim: ClaimAgentJobInput): Promise<string[]> {
  if (claim.product_id !== undefined) return [claim.product_id];
  const products = await listProducts(actor);
  return products.slice(0, mostTopics).map(({ id }) => id);
}
