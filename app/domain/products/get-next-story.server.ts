import { type NextStory, nextStorySchema, type ProductIdInput } from "~/contract/product";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** First open story of the active sprint (specification: GET /api/products/:id/next-story). */
export function getNextStory(actor: Actor, input: ProductIdInput): Promise<NextStory> {
  return callAs(actor, "get_next_story", getNextStoryArguments(input), nextStorySchema);
}

/** The same, as the JSON text that the database made. */
export function getNextStoryJson(actor: Actor, input: ProductIdInput): Promise<string> {
  return callAsRaw(actor, "get_next_story", getNextStoryArguments(input));
}

function getNextStoryArguments(input: ProductIdInput) {
  return { p_product_id: input.product_id };
}
