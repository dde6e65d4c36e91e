import { backlogTreeSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** Codes, titles and states of everything in a product. */
export function getBacklogTree(actor: Actor, productId: string) {
  return callAs(actor, "get_backlog_tree", { p_product_id: productId }, backlogTreeSchema);
}
