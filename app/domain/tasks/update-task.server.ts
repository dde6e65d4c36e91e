import { type UpdatedTask, type UpdateTaskInput, updatedTaskSchema } from "~/contract/task";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Status or plan of a task, as agents write them (specification: PATCH /api/tasks/:id). */
export function updateTask(actor: Actor, input: UpdateTaskInput): Promise<UpdatedTask> {
  return callAs(actor, "update_task", updateTaskArguments(input), updatedTaskSchema);
}

/** The same, as the JSON text that the database made. */
export function updateTaskJson(actor: Actor, input: UpdateTaskInput): Promise<string> {
  return callAsRaw(actor, "update_task", updateTaskArguments(input));
}

function updateTaskArguments(input: UpdateTaskInput) {
  return {
    p_task_id: input.task_id,
    p_status: input.status,
    p_implementation_plan: input.implementation_plan,
    p_verify_only: input.verify_only,
    p_verify_required: input.verify_required,
  };
}
