import clsx from "clsx";
import { type StatusTone, statusLook } from "./status";

const fills: Record<StatusTone, string> = {
  todo: "fill-line",
  progress: "fill-progress",
  review: "fill-review",
  done: "fill-done",
  failed: "fill-failed",
  waiting: "fill-waiting",
  idle: "fill-line-strong",
};

const longestWeave = 60;

/** "8 done, 1 failed, 5 to do": the same in words. */
export function describeStatuses(statuses: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) {
    const { label } = statusLook(status);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) => `${count} ${label.toLowerCase()}`).join(", ");
}

/** Progress woven segment by segment, each one real piece of work: over, under, over. */
export function WovenProgress({
  statuses,
  className,
}: {
  statuses: readonly string[];
  className?: string;
}) {
  if (statuses.length === 0) return null;
  const weave = statuses.length > longestWeave ? thin(statuses) : statuses;
  const step = 20;
  const width = weave.length * step;
  return (
    <svg
      viewBox={`0 0 ${width} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeStatuses(statuses)}
      className={clsx("block h-3 w-full", className)}
    >
      <path d={`M0 6H${width}`} className="stroke-line" strokeWidth="1.5" />
      {weave.map((status, index) => {
        const { tone } = statusLook(status);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place in the order
            key={index}
            x={index * step + 1}
            y={index % 2 === 0 ? 1 : 4}
            width={step - 2}
            height="7"
            rx="2"
            className={clsx(fills[tone], tone === "progress" && "breathe")}
          />
        );
      })}
    </svg>
  );
}

/** Too many to tell apart: every segment then stands for several neighbours. */
function thin(statuses: readonly string[]): string[] {
  return Array.from({ length: longestWeave }, (_, index) => {
    const at = Math.floor((index * statuses.length) / longestWeave);
    return statuses[at] ?? "TO_DO";
  });
}
