import { type SprintRun, type SprintToRunInput, sprintRunSchema } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Starts a run of an active sprint, with a budget where `stop_at` is given; a refusal carries `{ blockers }` (specification: Starting a sprint run). */
export function startSprintRun(actor: Actor, input: SprintToRunInput): Promise<SprintRun> {
  const given = { p_sprint_id: input.sprint_id, p_stop_at: input.stop_at };
  return callAs(actor, "start_sprint_run", given, sprintRunSchema);
}
