import { z } from "zod";
import type { TaskIdInput } from "~/contract/task";
import { type Actor, callAs } from "~/db/rpc.server";

/** Deletes a task. */
export function deleteTask(actor: Actor, input: TaskIdInput): Promise<{ id: string }> {
  return callAs(actor, "delete_task", { p_task_id: input.task_id }, z.object({ id: z.string() }));
}
