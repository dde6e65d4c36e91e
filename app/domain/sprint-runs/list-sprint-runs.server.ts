import {
  type ListSprintRunsInput,
  type SprintRunPage,
  sprintRunPageSchema,
} from "~/contract/sprint-run";
import { type Actor, callAs } from "~/db/rpc.server";

/** Runs of a product or sprint, newest first (specification: Sprint run). */
export function listSprintRuns(actor: Actor, input: ListSprintRunsInput): Promise<SprintRunPage> {
  return callAs(
    actor,
    "list_sprint_runs",
    {
      p_product_id: input.product_id,
      p_sprint_id: input.sprint_id,
      p_limit: input.limit,
      p_cursor: input.cursor,
    },
    sprintRunPageSchema,
  );
}
