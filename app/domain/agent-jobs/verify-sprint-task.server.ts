import {
  type Verification,
  type VerifySprintTaskInput,
  verificationSchema,
} from "~/contract/task-execution";
import { type Actor, callAs } from "~/db/rpc.server";

/** The same for one task of a batch run (specification: Sprint run, executions). */
export function verifySprintTask(
  actor: Actor,
  input: VerifySprintTaskInput,
): Promise<Verification> {
  return callAs(
    actor,
    "verify_sprint_task",
    {
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_task_id: input.task_id,
      p_verify_result: input.verify_result,
      p_changed_files: input.changed_files,
      p_evidence: input.evidence,
      p_base_sha: input.base_sha,
      p_head_sha: input.head_sha,
    },
    verificationSchema,
  );
}
