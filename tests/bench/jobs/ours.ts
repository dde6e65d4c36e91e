import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { closedLoop } from "./closed-loop";
import type { Queue } from "./world";

/** Claim and complete with everything that they do: snapshot, lease, statuses upwards, events. Jobs a second. */
export function rateOfService(queue: Queue, workers: number, seconds: number): Promise<number> {
  return closedLoop(workers, seconds, async (worker) => {
    const { job } = await claimAgentJob(queue.actor, { worker: `bench-${worker}` });
    if (!job) return false;
    await reportAgentJob(queue.actor, {
      job_id: job.id,
      attempt: job.attempt,
      status: "done",
      verify_result: "ALIGNED",
    });
    return true;
  });
}
