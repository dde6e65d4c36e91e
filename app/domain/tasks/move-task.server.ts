import { type MoveTaskInput, type TaskDetail, taskDetailSchema } from "~/contract/task";
import { type Actor, callAs } from "~/db/rpc.server";

/** Moves a task to another story; it keeps its code (specification: Entity codes 5). */
export function moveTask(actor: Actor, input: MoveTaskInput): Promise<TaskDetail> {
  return callAs(
    actor,
    "move_task",
    { p_task_id: input.task_id, p_story_id: input.story_id },
    taskDetailSchema,
  );
}
