import { type SprintRun, type SprintToRunInput, sprintRunSchema } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Starts a run of an active sprint; a refusal carries `{ blockers }` (specification: Starting a sprint run). */
export function startSprintRun(actor: Actor, input: SprintToRunInput): Promise<SprintRun> {
  return callAs(actor, "start_sprint_run", { p_sprint_id: input.sprint_id }, sprintRunSchema);
}
