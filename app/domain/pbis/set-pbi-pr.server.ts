import { type Pbi, pbiSchema, type SetPbiPrInput } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** Sets or clears the pull request of a PBI (specification: PBI). */
export function setPbiPr(actor: Actor, input: SetPbiPrInput): Promise<Pbi> {
  return callAs(actor, "set_pbi_pr", { p_pbi_id: input.pbi_id, p_pr_url: input.pr_url }, pbiSchema);
}
