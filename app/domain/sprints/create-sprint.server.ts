import { type CreateSprintInput, type Sprint, sprintSchema } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** Creates a planned sprint (specification: Sprint). */
export function createSprint(actor: Actor, input: CreateSprintInput): Promise<Sprint> {
  return callAs(
    actor,
    "create_sprint",
    {
      p_product_id: input.product_id,
      p_sprint_goal: input.sprint_goal,
      p_start_date: input.start_date,
      p_end_date: input.end_date,
    },
    sprintSchema,
  );
}
