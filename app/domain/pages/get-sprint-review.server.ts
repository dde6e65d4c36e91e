import { type SprintReview, sprintReviewSchema } from "~/contract/sprint-review";
import { type Actor, callAs } from "~/db/rpc.server";

/** The sprint review: stories with proof, changes and cost, and what stays open. */
export function getSprintReview(actor: Actor, sprintId: string): Promise<SprintReview> {
  return callAs(actor, "get_sprint_review", { p_sprint_id: sprintId }, sprintReviewSchema);
}
