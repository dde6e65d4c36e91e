import { type Idea, type IdeaIdInput, ideaSchema } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Restores an archived idea (specification: Idea). */
export function restoreIdea(actor: Actor, input: IdeaIdInput): Promise<Idea> {
  return callAs(actor, "restore_idea", { p_idea_id: input.idea_id }, ideaSchema);
}
