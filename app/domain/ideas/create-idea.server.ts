import { type CreateIdeaInput, type Idea, ideaSchema } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Creates an idea of the caller (specification: Idea). */
export function createIdea(actor: Actor, input: CreateIdeaInput): Promise<Idea> {
  return callAs(
    actor,
    "create_idea",
    { p_product_id: input.product_id, p_title: input.title, p_description: input.description },
    ideaSchema,
  );
}
