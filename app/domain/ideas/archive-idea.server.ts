import { type Idea, type IdeaIdInput, ideaSchema } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Archives an idea (specification: Idea). */
export function archiveIdea(actor: Actor, input: IdeaIdInput): Promise<Idea> {
  return callAs(actor, "archive_idea", { p_idea_id: input.idea_id }, ideaSchema);
}
