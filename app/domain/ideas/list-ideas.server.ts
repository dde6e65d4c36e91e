import { type IdeaPage, ideaPageSchema, type ListIdeasInput } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Ideas of the caller, oldest first (specification: Idea). */
export function listIdeas(actor: Actor, input: ListIdeasInput = {}): Promise<IdeaPage> {
  return callAs(
    actor,
    "list_ideas",
    {
      p_product_id: input.product_id,
      p_archived: input.archived,
      p_limit: input.limit,
      p_cursor: input.cursor,
    },
    ideaPageSchema,
  );
}
