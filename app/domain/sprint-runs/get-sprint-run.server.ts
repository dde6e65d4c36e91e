import {
  type SprintRunDetail,
  type SprintRunIdInput,
  sprintRunDetailSchema,
} from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** A run with its jobs and executions (specification: Sprint run). */
export function getSprintRun(actor: Actor, input: SprintRunIdInput): Promise<SprintRunDetail> {
  return callAs(
    actor,
    "get_sprint_run",
    { p_sprint_run_id: input.sprint_run_id },
    sprintRunDetailSchema,
  );
}
