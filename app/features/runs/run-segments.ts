import type { SprintRun } from "~/contract/sprint-run";

/** The jobs of a run as segments, finished ones first, when their order is not at hand. */
export function runSegments(counts: SprintRun["counts"]): string[] {
  const order = ["done", "skipped", "failed", "running", "claimed", "queued", "cancelled"] as const;
  return order.flatMap((status) => Array.from({ length: counts[status] }, () => status));
}
