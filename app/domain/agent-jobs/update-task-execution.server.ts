import {
  type EndedExecution,
  endedExecutionSchema,
  type UpdateTaskExecutionInput,
} from "~/contract/task-execution";
import { type Actor, callAs } from "~/db/rpc.server";

/** How one task of a batch run goes (specification: Sprint run, executions). */
export function updateTaskExecution(
  actor: Actor,
  input: UpdateTaskExecutionInput,
): Promise<EndedExecution> {
  return callAs(
    actor,
    "update_task_execution",
    {
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_task_id: input.task_id,
      p_status: input.status,
      p_verify_result: input.verify_result,
      p_failure_reason: input.failure_reason,
    },
    endedExecutionSchema,
  );
}
