import clsx from "clsx";
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

/** One shape per meaning, so that colour is never the only sign. */
const shapes: Record<StatusTone, JSX.Element> = {
  todo: <circle cx="8" cy="8" r="5.75" strokeDasharray="2.6 1.9" />,
  progress: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.5a3.5 3.5 0 0 1 0 7z" fill="currentColor" stroke="none" />
    </>
  ),
  review: (
    <>
      <path d="M8 1.75 14.25 8 8 14.25 1.75 8z" strokeLinejoin="round" />
      <circle cx="8" cy="8" r="1.75" fill="currentColor" stroke="none" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" stroke="none" />
      <path
        d="m5.2 8.2 2 2 3.7-4.2"
        className="stroke-raised"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  failed: (
    <>
      <rect x="2" y="2" width="12" height="12" rx="2.5" fill="currentColor" stroke="none" />
      <path
        d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"
        className="stroke-raised"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  waiting: (
    <>
      <path
        d="M8 1.9 14.7 13.5H1.3z"
        fill="currentColor"
        stroke="currentColor"
        strokeLinejoin="round"
      />
      <path
        d="M8 6.2v3.4m0 1.9v.1"
        className="stroke-raised"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </>
  ),
  idle: <path d="M3 8h10" strokeLinecap="round" strokeWidth="2" />,
};

export function StatusIcon({ tone, className }: { tone: StatusTone; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
      className={clsx("size-3.5 shrink-0", inks[tone], className)}
    >
      {shapes[tone]}
    </svg>
  );
}
