import { type CheckQueueEmptyInput, type QueueState, queueStateSchema } from "~/contract/worker";
import { type Actor, callAs } from "~/db/rpc.server";

/** Whether jobs are left in reach (specification: Agent job). */
export function checkQueueEmpty(actor: Actor, input: CheckQueueEmptyInput): Promise<QueueState> {
  return callAs(actor, "check_queue_empty", { p_product_id: input.product_id }, queueStateSchema);
}
