import { type Backlog, backlogSchema, type ProductIdInput } from "~/contract/product";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Snapshot of a whole backlog (specification: GET /api/products/:id/backlog). */
export function getBacklog(actor: Actor, input: ProductIdInput): Promise<Backlog> {
  return callAs(actor, "get_backlog", getBacklogArguments(input), backlogSchema);
}

/** The same, as the JSON text that the database made. */
export function getBacklogJson(actor: Actor, input: ProductIdInput): Promise<string> {
  return callAsRaw(actor, "get_backlog", getBacklogArguments(input));
}

function getBacklogArguments(input: ProductIdInput) {
  return { p_product_id: input.product_id };
}
