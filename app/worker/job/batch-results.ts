import type { VerifyResult } from "~/nouns/agent-jobs/contract";
import type { Attempt } from "./attempt";

/** Verification results of tasks that earlier attempts finished. */
export function earlierResults({ job }: Pick<Attempt, "job">): VerifyResult[] {
  return (job.executions ?? []).flatMap(({ status, verify_result }) =>
    status === "done" && verify_result !== null ? [verify_result] : [],
  );
}

/** The worst result of a batch's tasks. EMPTY (already there) says nothing about the others, so it ranks last. */
export function worstOf(results: readonly VerifyResult[]): VerifyResult {
  return (
    (["DIVERGENT", "PARTIAL", "ALIGNED"] as const).find((result) => results.includes(result)) ??
    "EMPTY"
  );
}
