import { type SoloState, type SoloStateInput, soloStateSchema } from "~/contract/worker";
import { type Actor, callAs } from "~/db/rpc.server";

/** Active sprint, unfinished jobs and worker count (specification: Solo stream). */
export function getSoloState(actor: Actor, input: SoloStateInput): Promise<SoloState> {
  return callAs(actor, "get_solo_state", { p_product_id: input.product_id }, soloStateSchema);
}
