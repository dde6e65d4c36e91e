import { type Idea, ideaSchema, type LinkIdeaProductInput } from "~/contract/idea";
import { type Actor, callAs } from "~/db/rpc.server";

/** Removes the link of an idea to a further product (specification: Idea). */
export function unlinkIdeaProduct(actor: Actor, input: LinkIdeaProductInput): Promise<Idea> {
  return callAs(
    actor,
    "unlink_idea_product",
    { p_idea_id: input.idea_id, p_product_id: input.product_id },
    ideaSchema,
  );
}
