import { type Sprint, type SprintIdInput, sprintSchema } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** Completes the active sprint; unfinished stories leave it (specification: States and transitions, Sprint). */
export function completeSprint(actor: Actor, input: SprintIdInput): Promise<Sprint> {
  return callAs(actor, "complete_sprint", { p_sprint_id: input.sprint_id }, sprintSchema);
}
