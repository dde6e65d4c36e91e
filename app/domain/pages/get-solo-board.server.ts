import { soloBoardSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** One person's part of the active sprint. */
export function getSoloBoard(actor: Actor, productId: string) {
  return callAs(actor, "get_solo_board", { p_product_id: productId }, soloBoardSchema);
}
