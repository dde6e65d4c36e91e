import { type MovePbiInput, type Pbi, pbiSchema } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** Moves a PBI by float insertion (specification: Ordering rules 4). */
export function movePbi(actor: Actor, input: MovePbiInput): Promise<Pbi> {
  return callAs(
    actor,
    "move_pbi",
    {
      p_pbi_id: input.pbi_id,
      p_before_id: input.before_id,
      p_after_id: input.after_id,
      p_priority: input.priority,
    },
    pbiSchema,
  );
}
