/** The seven meanings of a status. Each has the same color and shape everywhere. */
export type StatusTone = "todo" | "progress" | "review" | "done" | "failed" | "waiting" | "idle";

interface StatusLook {
  tone: StatusTone;
  label: string;
}

/** All statuses of the service in database form, with tone and label. */
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
  return (
    looks[status.toUpperCase()] ?? {
      tone: "idle",
      label: status.toLowerCase().replaceAll("_", " "),
    }
  );
}

/** Whether a worker holds the job. */
export function isHeld(jobStatus: string | null | undefined): boolean {
  return jobStatus === "running" || jobStatus === "claimed";
}
