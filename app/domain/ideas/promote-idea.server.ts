import { type PromotedIdea, type PromoteIdeaInput, promotedIdeaSchema } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Makes a PBI of an idea, atomically (specification: States and transitions, Idea). */
export function promoteIdea(actor: Actor, input: PromoteIdeaInput): Promise<PromotedIdea> {
  return callAs(
    actor,
    "promote_idea",
    {
      p_idea_id: input.idea_id,
      p_product_id: input.product_id,
      p_title: input.title,
      p_description: input.description,
      p_code: input.code,
      p_priority: input.priority,
    },
    promotedIdeaSchema,
  );
}
