import { type SprintRun, type SprintRunIdInput, sprintRunSchema } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Resumes a paused run; answers the run that goes on, a new one in batch mode (specification: Sprint run). */
export function resumeSprintRun(actor: Actor, input: SprintRunIdInput): Promise<SprintRun> {
  return callAs(
    actor,
    "resume_sprint_run",
    { p_sprint_run_id: input.sprint_run_id },
    sprintRunSchema,
  );
}
