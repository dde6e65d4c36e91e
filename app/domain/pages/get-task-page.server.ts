import { taskPageSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** Everything about one task. */
export function getTaskPage(actor: Actor, taskId: string) {
  return callAs(actor, "get_task_page", { p_task_id: taskId }, taskPageSchema);
}
