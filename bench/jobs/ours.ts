import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { finish } from "../../tests/setup/world";
import { closedLoop } from "./closed-loop";
import type { Queue } from "./world";

/** Claim and complete with everything that they do: snapshot, lease, statuses upwards, events. Jobs a second. */
export function rateOfService(queue: Queue, workers: number, seconds: number): Promise<number> {
  return closedLoop(workers, seconds, async (worker) => {
    const { job } = await claimAgentJob(queue.actor, { worker: `bench-${worker}` });
    if (!job) return false;
    await finish(queue.actor, job);
    return true;
  });
}
