import type { VerifyResult } from "~/contract/agent-job";
import type { Attempt } from "./attempt";

/** What earlier attempts have found of the tasks of a batch that are done. */
export function earlierResults({ job }: Attempt): VerifyResult[] {
  return (job.executions ?? []).flatMap(({ status, verify_result }) =>
    status === "done" && verify_result !== null ? [verify_result] : [],
  );
}

/** The batch is no better than the worst of its tasks; one that was there already says nothing about the others. */
export function worstOf(results: readonly VerifyResult[]): VerifyResult {
  return (
    (["DIVERGENT", "PARTIAL", "ALIGNED"] as const).find((result) => results.includes(result)) ??
    "EMPTY"
  );
}
