import { type MovedTask, movedTaskSchema, type SetTaskStatusInput } from "~/contract/task";
import { type Actor, callAs } from "~/db/rpc.server";

/** A board move of a task, review included (specification: States and transitions, Task). */
export function setTaskStatus(actor: Actor, input: SetTaskStatusInput): Promise<MovedTask> {
  return callAs(
    actor,
    "set_task_status",
    { p_task_id: input.task_id, p_status: input.status, p_confirmed: input.confirmed },
    movedTaskSchema,
  );
}
