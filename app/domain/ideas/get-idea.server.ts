import { type IdeaDetail, type IdeaIdInput, ideaDetailSchema } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** One idea with its PBI and log (specification: Idea). */
export function getIdea(actor: Actor, input: IdeaIdInput): Promise<IdeaDetail> {
  return callAs(actor, "get_idea", { p_idea_id: input.idea_id }, ideaDetailSchema);
}
