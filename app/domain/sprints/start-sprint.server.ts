import { type Sprint, type SprintIdInput, sprintSchema } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** Starts a planned sprint; at most one of a product is active (specification: States and transitions, Sprint). */
export function startSprint(actor: Actor, input: SprintIdInput): Promise<Sprint> {
  return callAs(actor, "start_sprint", { p_sprint_id: input.sprint_id }, sprintSchema);
}
