import { type SprintRun, type SprintToRunInput, sprintRunSchema } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/**
 * Brings a failed sprint back and starts a new run (specification: Task, failed; resume-sprint). Null when people have
 * finished everything by hand: the sprint is active again and can be completed.
 */
export function resumeSprint(actor: Actor, input: SprintToRunInput): Promise<SprintRun | null> {
  return callAs(
    actor,
    "resume_sprint",
    { p_sprint_id: input.sprint_id },
    sprintRunSchema.nullable(),
  );
}
