import { type PbiDetail, type PbiIdInput, pbiDetailSchema } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** One PBI with its stories (specification: PBI). */
export function getPbi(actor: Actor, input: PbiIdInput): Promise<PbiDetail> {
  return callAs(actor, "get_pbi", { p_pbi_id: input.pbi_id }, pbiDetailSchema);
}
