import type { StatusTone } from "./status";

const inks: Record<StatusTone, string> = {
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
  const classes = className
    ? `status-icon ${inks[tone]} ${className}`
    : `status-icon ${inks[tone]}`;
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={classes}>
      <use href={`#status-${tone}`} />
    </svg>
  );
}
