import { type PauseSprintRunInput, type SprintRun, sprintRunSchema } from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Pauses a run, for a person or for a worker that met a merge conflict (specification: Sprint run). */
export function pauseSprintRun(actor: Actor, input: PauseSprintRunInput): Promise<SprintRun> {
  return callAs(
    actor,
    "pause_sprint_run",
    {
      p_sprint_run_id: input.sprint_run_id,
      p_reason: input.reason,
      p_pr_url: input.pr_url,
      p_conflict_files: input.conflict_files,
      p_job_id: input.job_id,
      p_attempt: input.attempt,
      p_release: input.release,
    },
    sprintRunSchema,
  );
}
