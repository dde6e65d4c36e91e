import { type Pbi, type PbiIdInput, pbiSchema } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** Notes that the pull request of a PBI was merged (specification: PBI). */
export function markPbiPrMerged(actor: Actor, input: PbiIdInput): Promise<Pbi> {
  return callAs(actor, "mark_pbi_pr_merged", { p_pbi_id: input.pbi_id }, pbiSchema);
}
