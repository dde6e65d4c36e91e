import type { RunWaits } from "~/nouns/sprint-runs/contract";
import { countText } from "~/ui/numbers";
import { StatusPill } from "~/ui/status";

/**
 * Status of a run, or of a sprint, which stops with it. A failed task stops both, but neither has failed as a whole; and
 * a run that only people can continue is not running.
 */
export function RunStatus({
  run: { status, waits_for },
  className = "",
}: {
  run: { status: string; waits_for?: RunWaits };
  className?: string;
}) {
  if (waits_for)
    return (
      <StatusPill
        status="waiting"
        label={`Waits for you: ${waitsText(waits_for)}`}
        className={className}
      />
    );
  const label = status === "failed" ? { label: "Stopped" } : {};
  return <StatusPill status={status} {...label} className={className} />;
}

/** Returns "9 reviews, 1 answer". */
function waitsText({ reviews, answers }: NonNullable<RunWaits>): string {
  const counted = [countText(reviews, "review"), countText(answers, "answer")];
  return counted.filter((_, index) => [reviews, answers][index] !== 0).join(", ");
}
