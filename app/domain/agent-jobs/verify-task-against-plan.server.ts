import {
  type Verification,
  type VerifyTaskAgainstPlanInput,
  verificationSchema,
} from "~/contract/task-execution";
import { type Actor, callAs } from "~/db/rpc.server";

/** Compares the work of a job with its plan (specification: Agent job, verify_result). */
export function verifyTaskAgainstPlan(
  actor: Actor,
  input: VerifyTaskAgainstPlanInput,
): Promise<Verification> {
  return callAs(
    actor,
    "verify_task_against_plan",
    {
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_verify_result: input.verify_result,
      p_changed_files: input.changed_files,
      p_evidence: input.evidence,
      p_base_sha: input.base_sha,
      p_head_sha: input.head_sha,
    },
    verificationSchema,
  );
}
