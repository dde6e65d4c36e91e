import clsx from "clsx";
import { type StatusTone, statusLook } from "~/ui/status";

const fills: Record<StatusTone, string> = {
  todo: "bg-line",
  progress: "bg-progress",
  review: "bg-review",
  done: "bg-done",
  failed: "bg-failed",
  waiting: "bg-waiting",
  idle: "bg-line-strong",
};

const longestWeave = 60;

/** Returns "8 done, 1 failed, 5 to do", the progress bar's text alternative. */
export function describeStatuses(statuses: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) {
    const { label } = statusLook(status);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) => `${count} ${label.toLowerCase()}`).join(", ");
}

/** Progress bar with one segment per part of the work, drawn like weaving: alternately high and low. */
export function WovenProgress({
  statuses,
  tall = false,
}: {
  statuses: readonly string[];
  tall?: boolean;
}) {
  if (statuses.length === 0) return null;
  const weave = statuses.length > longestWeave ? thin(statuses) : statuses;
  return (
    <div
      role="img"
      aria-label={describeStatuses(statuses)}
      className={clsx("relative flex w-full gap-0.5", tall ? "h-5" : "h-3")}
    >
      <span className="absolute inset-x-0 top-1/2 h-px bg-line-strong" />
      {weave.map((status, index) => {
        const { tone } = statusLook(status);
        return (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a segment is its place in the order
            key={index}
            className={clsx(
              "relative h-3/5 min-w-0 flex-1 rounded-sm",
              index % 2 === 0 ? "self-start" : "self-end",
              fills[tone],
              tone === "progress" && "breathe",
            )}
          />
        );
      })}
    </div>
  );
}

/** Samples the statuses if there are too many: each segment then is for several. */
function thin(statuses: readonly string[]): string[] {
  return Array.from({ length: longestWeave }, (_, index) => {
    const at = Math.floor((index * statuses.length) / longestWeave);
    return statuses[at] ?? "TO_DO";
  });
}
