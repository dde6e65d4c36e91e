import { type SprintRun, type SprintRunIdInput, sprintRunSchema } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Cancels an unfinished run without any cascade (specification: Sprint run). */
export function cancelSprintRun(actor: Actor, input: SprintRunIdInput): Promise<SprintRun> {
  return callAs(
    actor,
    "cancel_sprint_run",
    { p_sprint_run_id: input.sprint_run_id },
    sprintRunSchema,
  );
}
