import clsx from "clsx";
import { countText } from "~/ui/numbers";
import { inks, StatusPill, statusLook } from "~/ui/status";
import type { RunWaits } from "~/wire/sprint-runs/contract";

type RunStatusProps = { run: { status: string; waits_for?: RunWaits }; className?: string };

/** A failed task stops run and sprint, but neither has failed; a run that only people can continue is not running. */
export function RunStatus({ run: { status, waits_for }, className = "" }: RunStatusProps) {
  if (waits_for)
    return <StatusPill status="waiting" label={`Waits for you: ${waitsText(waits_for)}`} className={className} />;
  const label = status === "failed" ? { label: "Stopped" } : {};
  return <StatusPill status={status} {...label} className={className} />;
}

/** Returns "9 reviews, 1 answer". */
function waitsText({ reviews, answers }: NonNullable<RunWaits>): string {
  const counted = [countText(reviews, "review"), countText(answers, "answer")];
  return counted.filter((_, index) => [reviews, answers][index] !== 0).join(", ");
}

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

/** Progress bar with one segment per part of the work, drawn like weaving: alternately high and low. One that ends grows. */
export function WovenProgress({ statuses, tall = false }: { statuses: readonly string[]; tall?: boolean }) {
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
            data-tone={tone}
            className={clsx("thread", inks[tone], index % 2 === 0 ? "self-start" : "self-end")}
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
