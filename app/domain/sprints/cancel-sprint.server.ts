import { type Sprint, type SprintIdInput, sprintSchema } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** Calls a planned sprint off; its stories leave it (specification: States and transitions, Sprint). */
export function cancelSprint(actor: Actor, input: SprintIdInput): Promise<Sprint> {
  return callAs(actor, "cancel_sprint", { p_sprint_id: input.sprint_id }, sprintSchema);
}
