import { type EditedTask, type EditTaskInput, editedTaskSchema } from "~/contract/task";
import { type Actor, callAs } from "~/db/rpc.server";

/** Edits every field of a task, as people do (specification: Task). */
export function editTask(
  actor: Actor,
  { task_id, ...changes }: EditTaskInput,
): Promise<EditedTask> {
  return callAs(actor, "edit_task", { p_task_id: task_id, p_changes: changes }, editedTaskSchema);
}
