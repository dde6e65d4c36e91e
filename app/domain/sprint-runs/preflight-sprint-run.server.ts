import { type Preflight, preflightSchema, type SprintToRunInput } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** What would prevent the start of a run, all at once (specification: Starting a sprint run 1). */
export function preflightSprintRun(actor: Actor, input: SprintToRunInput): Promise<Preflight> {
  return callAs(actor, "preflight_sprint_run", { p_sprint_id: input.sprint_id }, preflightSchema);
}
