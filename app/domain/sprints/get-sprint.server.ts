import { type SprintBoard, type SprintIdInput, sprintBoardSchema } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** What the sprint board shows (specification: Sprint). */
export function getSprint(actor: Actor, input: SprintIdInput): Promise<SprintBoard> {
  return callAs(actor, "get_sprint", { p_sprint_id: input.sprint_id }, sprintBoardSchema);
}
