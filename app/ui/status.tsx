import clsx from "clsx";
import { LiveText } from "./live-text";

/** The seven meanings of a status. Each has the same color and shape everywhere. */
export type StatusTone = "todo" | "progress" | "review" | "done" | "failed" | "waiting" | "idle";

type StatusLook = { tone: StatusTone; label: string };

const looks: Record<string, StatusLook> = {
  TO_DO: { tone: "todo", label: "To do" },
  TODO: { tone: "todo", label: "To do" },
  IN_PROGRESS: { tone: "progress", label: "In progress" },
  REVIEW: { tone: "review", label: "Review" },
  DONE: { tone: "done", label: "Done" },
  FAILED: { tone: "failed", label: "Failed" },
  OPEN: { tone: "todo", label: "Open" },
  IN_SPRINT: { tone: "progress", label: "In sprint" },
  TRIAGE: { tone: "waiting", label: "Triage" },
  TEMPLATE: { tone: "idle", label: "Template" },
  READY: { tone: "todo", label: "Ready" },
  BLOCKED: { tone: "waiting", label: "Blocked" },
  PLANNED: { tone: "todo", label: "Planned" },
  ACTIVE: { tone: "progress", label: "Active" },
  COMPLETED: { tone: "done", label: "Completed" },
  CANCELLED: { tone: "idle", label: "Cancelled" },
  QUEUED: { tone: "todo", label: "Queued" },
  CLAIMED: { tone: "progress", label: "Claimed" },
  RUNNING: { tone: "progress", label: "Running" },
  PAUSED: { tone: "waiting", label: "Paused" },
  SKIPPED: { tone: "review", label: "Skipped" },
  PENDING: { tone: "todo", label: "Pending" },
  ANSWERED: { tone: "done", label: "Answered" },
  EXPIRED: { tone: "idle", label: "Expired" },
  DRAFT: { tone: "todo", label: "Draft" },
  DISCUSSING: { tone: "progress", label: "Discussing" },
  PASSED: { tone: "done", label: "Passed" },
  WAITING: { tone: "waiting", label: "Waiting for you" },
};

/** Returns tone and label of a status. Accepts REST's lower case and the database form. */
export function statusLook(status: string): StatusLook {
  return looks[status.toUpperCase()] ?? { tone: "idle", label: status.toLowerCase().replaceAll("_", " ") };
}

/** Whether a worker holds the job. */
export function isHeld(jobStatus: string | null | undefined): boolean {
  return jobStatus === "running" || jobStatus === "claimed";
}

export const inks: Record<StatusTone, string> = {
  todo: "text-todo",
  progress: "text-progress",
  review: "text-review",
  done: "text-done",
  failed: "text-failed",
  waiting: "text-waiting",
  idle: "text-faint",
};

/** The shape of a status. Defined once per page in `sprite` and referenced here. */
export function StatusIcon({ tone, className }: { tone: StatusTone; className?: string }) {
  const classes = className ? `status-icon ${inks[tone]} ${className}` : `status-icon ${inks[tone]}`;
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={classes}>
      <use href={`#status-${tone}`} />
    </svg>
  );
}

const grounds: Record<StatusTone, string> = {
  todo: "bg-todo-soft text-todo",
  progress: "bg-progress-soft text-progress",
  review: "bg-review-soft text-review",
  done: "bg-done-soft text-done",
  failed: "bg-failed-soft text-failed",
  waiting: "bg-waiting-soft text-waiting",
  idle: "bg-sunken text-muted",
};

/** A status as shape, label and color. `label` replaces the default label. */
export function StatusPill({ status, label, className }: { status: string; label?: string; className?: string }) {
  const look = statusLook(status);
  return (
    <span
      data-status={status}
      className={clsx(
        "inline-flex h-5.5 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-sm px-1.5 text-xs font-medium",
        grounds[look.tone],
        className,
      )}
    >
      <StatusIcon tone={look.tone} />
      <LiveText>{label ?? look.label}</LiveText>
    </span>
  );
}

/** Only the shape, for dense rows. The label is read out and shown on hover. */
export function StatusDot({ status, className }: { status: string; className?: string }) {
  const look = statusLook(status);
  return (
    <span title={look.label} className={clsx("inline-flex", className)}>
      <StatusIcon tone={look.tone} />
      <span className="sr-only">{look.label}</span>
    </span>
  );
}
