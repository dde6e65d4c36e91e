import { shellSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** What stands around every signed-in page. */
export function getShell(actor: Actor) {
  return callAs(actor, "get_shell", {}, shellSchema);
}
