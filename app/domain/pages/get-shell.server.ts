import { shellSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** What stands around every signed-in page. */
export function getShell(actor: Actor, activeProductId: string | null) {
  return callAs(actor, "get_shell", { p_active_product_id: activeProductId }, shellSchema);
}
