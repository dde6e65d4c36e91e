import type { AgentJob } from "~/contract/agent-job";
import { StatusPill } from "~/ui/status-pill";

/** The work is done and a person is to judge it: the queue holds the job, and no worker takes it. */
export function waitsForReview({ status, phase }: Pick<AgentJob, "status" | "phase">): boolean {
  return status === "queued" && phase === "review";
}

export function JobStatus({ job }: { job: Pick<AgentJob, "status" | "phase"> }) {
  if (waitsForReview(job)) return <StatusPill status="waiting" label="Needs review" />;
  return <StatusPill status={job.status} />;
}
