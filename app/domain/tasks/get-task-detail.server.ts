import { type TaskDetail, type TaskIdInput, taskDetailSchema } from "~/contract/task";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** A task in detail (specification: GET /api/tasks/:id). */
export function getTaskDetail(actor: Actor, input: TaskIdInput): Promise<TaskDetail> {
  return callAs(actor, "get_task_detail", getTaskDetailArguments(input), taskDetailSchema);
}

/** The same, as the JSON text that the database made. */
export function getTaskDetailJson(actor: Actor, input: TaskIdInput): Promise<string> {
  return callAsRaw(actor, "get_task_detail", getTaskDetailArguments(input));
}

function getTaskDetailArguments(input: TaskIdInput) {
  return { p_task_id: input.task_id };
}
