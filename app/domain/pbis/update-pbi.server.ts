import { type Pbi, pbiSchema, type UpdatePbiInput } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** Edits, blocks or unblocks a PBI (specification: PBI). */
export function updatePbi(actor: Actor, { pbi_id, ...changes }: UpdatePbiInput): Promise<Pbi> {
  return callAs(actor, "update_pbi", { p_pbi_id: pbi_id, p_changes: changes }, pbiSchema);
}
