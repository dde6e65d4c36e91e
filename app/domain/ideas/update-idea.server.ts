import { type Idea, ideaSchema, type UpdateIdeaInput } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Edits an idea or moves it forward (specification: Idea). */
export function updateIdea(actor: Actor, { idea_id, ...changes }: UpdateIdeaInput): Promise<Idea> {
  return callAs(actor, "update_idea", { p_idea_id: idea_id, p_changes: changes }, ideaSchema);
}
