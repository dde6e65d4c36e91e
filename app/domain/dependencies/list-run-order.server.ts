import { type RunOrder, runOrderSchema } from "~/contract/dependency";
import type { SprintRunIdInput } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Lanes of a run and what its tasks wait for, in the order of the run. */
export function listRunOrder(actor: Actor, input: SprintRunIdInput): Promise<RunOrder> {
  return callAs(actor, "list_run_order", { p_sprint_run_id: input.sprint_run_id }, runOrderSchema);
}
