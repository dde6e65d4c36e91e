import type { AgentJob } from "~/contract/agent-job";
import type { Confinement } from "~/contract/confinement";
import { Badge } from "~/ui/badge";
import { StatusPill } from "~/ui/status-pill";

/** The work is done and a person is to judge it: the queue holds the job, and no worker takes it. */
export function waitsForReview({ status, phase }: Pick<AgentJob, "status" | "phase">): boolean {
  return status === "queued" && phase === "review";
}

/** The service queues a job that is parked for an answer; people are told what it waits for. */
export function JobStatus({
  job,
  asks = false,
}: {
  job: Pick<AgentJob, "status" | "phase">;
  /** A question of it is open. */
  asks?: boolean;
}) {
  if (asks && job.status === "queued")
    return <StatusPill status="waiting" label="Waiting for an answer" />;
  if (waitsForReview(job)) return <StatusPill status="waiting" label="Needs review" />;
  return <StatusPill status={job.status} />;
}

const words: Record<Confinement, string> = {
  bwrap: "Sandbox: bubblewrap",
  docker: "Sandbox: Docker",
  command: "Sandbox: custom command",
  none: "No sandbox",
};

/** Whether what ran was kept apart from the machine that it ran on, and by what. */
export function ConfinementBadge({ confinement }: { confinement: Confinement }) {
  return <Badge tone={confinement === "none" ? "plain" : "accent"}>{words[confinement]}</Badge>;
}
