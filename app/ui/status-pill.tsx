import clsx from "clsx";
import { type StatusTone, statusLook } from "./status";
import { StatusIcon } from "./status-icon";

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
export function StatusPill({
  status,
  label,
  className,
}: {
  status: string;
  label?: string;
  className?: string;
}) {
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
      {label ?? look.label}
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
