import { type Idea, ideaSchema, type LinkIdeaProductInput } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Links an idea to a further product (specification: Idea). */
export function linkIdeaProduct(actor: Actor, input: LinkIdeaProductInput): Promise<Idea> {
  return callAs(
    actor,
    "link_idea_product",
    { p_idea_id: input.idea_id, p_product_id: input.product_id },
    ideaSchema,
  );
}
