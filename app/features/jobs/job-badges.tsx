import type { z } from "zod";
import { Badge } from "~/ui/badge";
import { StatusPill } from "~/ui/status";
import type { AgentJob, AgentJobDetail } from "~/wire/agent-jobs/contract";
import type { pullSchema } from "~/wire/pulls/contract";
import type { Confinement } from "~/wire/workers/confinement";

/** Whether the work is finished and awaits a person's review. Such a job stays queued, but no worker claims it. */
export function waitsForReview({ status, phase }: Pick<AgentJob, "status" | "phase">): boolean {
  return status === "queued" && phase === "review";
}

/** Whether no start does a job's task again: it is done or waits for a review. */
export const isOver = ({ task_status }: Pick<AgentJob, "task_status">): boolean =>
  task_status === "done" || task_status === "review";

interface JobStatusProps {
  job: Pick<AgentJob, "status" | "phase"> & Partial<Pick<AgentJob, "holder_name" | "pending_verdict">>;
  asks?: boolean;
}

/** Status of a job. A job parked for an answer is queued in the database; people see what it waits for. */
export function JobStatus({ job, asks = false }: JobStatusProps) {
  if (job.holder_name) return <StatusPill status="running" label={`${job.holder_name} has it in a terminal`} />;
  if (job.status === "queued" && job.phase === "plan") return <StatusPill status="waiting" label="Plan to approve" />;
  if (asks && job.status === "queued") return <StatusPill status="waiting" label="Waiting for an answer" />;
  if (job.pending_verdict === "approve") return <StatusPill status="done" label="Approved" />;
  if (job.pending_verdict) return <StatusPill status="queued" label="Changes requested" />;
  if (waitsForReview(job)) return <StatusPill status="review" label="Needs review" />;
  return <StatusPill status={job.status} />;
}

const labels: Record<Confinement, string> = {
  bwrap: "Sandbox: bubblewrap",
  docker: "Sandbox: Docker",
  command: "Sandbox: custom command",
  none: "No sandbox",
  bwrap_open: "Sandbox: bubblewrap, open network",
  docker_open: "Sandbox: Docker, open network",
};

/** Shows whether the agent ran in a sandbox, and which one. */
export function ConfinementBadge({ confinement }: { confinement: Confinement }) {
  const isClosed = confinement !== "none" && !confinement.endsWith("_open");
  return <Badge tone={isClosed ? "accent" : "plain"}>{labels[confinement]}</Badge>;
}

const outcomeLabels: Record<string, string> = {
  done: "done",
  skipped: "changed nothing",
  failed: "failed",
  cancelled: "cancelled",
  rate_limited: "rate limited",
  question: "asked a question",
  lost: "lost",
  failed_look: "verification failed to run",
  returned: "released",
  budget: "stopped by a budget",
  conflict: "merge conflict",
};

type JobAttempt = AgentJobDetail["attempts"][number];

/** Returns "Attempt 2: failed". */
export function attemptName({ attempt, outcome }: JobAttempt): string {
  return `Attempt ${attempt}: ${outcome ? (outcomeLabels[outcome] ?? outcome) : "running"}`;
}

type ShownPull = Pick<z.infer<typeof pullSchema>, "number" | "url" | "state" | "draft" | "ci" | "review">;

const ciLabels = { none: null, pending: "CI running", passed: "CI passed", failed: "CI failed" };
const reviewLabels = { none: null, approved: "approved", changes_requested: "changes requested" };

/** A pull request in one line: number, CI and review state. `g p` opens it. */
export function PullLink({ pull }: { pull: ShownPull }) {
  const { number, url, state, draft, ci, review } = pull;
  const labels =
    state === "open" ? [draft ? "draft" : null, ciLabels[ci], reviewLabels[review]].filter(Boolean) : [state];
  const isBad = state === "open" && (ci === "failed" || review === "changes_requested");
  return (
    <a
      href={url}
      rel="noreferrer"
      data-pull
      className={`text-xs underline underline-offset-2 ${isBad ? "text-failed" : "text-accent"}`}
    >
      {[`Pull request #${number}`, ...(labels.length > 0 ? labels : ["open"])].join(" · ")}
    </a>
  );
}
