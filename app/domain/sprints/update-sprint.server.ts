import { type Sprint, sprintSchema, type UpdateSprintInput } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** Edits goal and dates of a sprint (specification: Sprint). */
export function updateSprint(
  actor: Actor,
  { sprint_id, ...changes }: UpdateSprintInput,
): Promise<Sprint> {
  return callAs(
    actor,
    "update_sprint",
    { p_sprint_id: sprint_id, p_changes: changes },
    sprintSchema,
  );
}
