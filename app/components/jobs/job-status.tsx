import { StatusPill } from "~/components/status-pill";
import type { AgentJob } from "~/contract/agent-job";

/** The work is done and a person is to judge it: the queue holds the job, and no worker takes it. */
export function waitsForReview({ status, phase }: Pick<AgentJob, "status" | "phase">): boolean {
  return status === "queued" && phase === "review";
}

export function JobStatus({ job }: { job: Pick<AgentJob, "status" | "phase"> }) {
  if (waitsForReview(job)) return <StatusPill status="waiting" label="Waits for review" />;
  return <StatusPill status={job.status} />;
}
