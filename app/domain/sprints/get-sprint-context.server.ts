import {
  type GetSprintContextInput,
  type SprintContext,
  sprintContextSchema,
} from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** A sprint with stories and tasks as an agent reads them. */
export function getSprintContext(
  actor: Actor,
  input: GetSprintContextInput,
): Promise<SprintContext> {
  return callAs(
    actor,
    "get_sprint_context",
    { p_sprint_id: input.sprint_id, p_limit: input.limit, p_cursor: input.cursor },
    sprintContextSchema,
  );
}
