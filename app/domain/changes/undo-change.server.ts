import { type Undone, undoneSchema } from "~/contract/change";
import { type Actor, callAs } from "~/db/rpc.server";

/** Takes back the last thing that this session did within 30 seconds; refused when somebody changed it since. */
export function undoChange(actor: Actor): Promise<Undone> {
  return callAs(actor, "undo_change", {}, undoneSchema);
}
