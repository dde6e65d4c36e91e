import { z } from "zod";
import type { PbiIdInput } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** Deletes a PBI with its stories and tasks. */
export function deletePbi(actor: Actor, input: PbiIdInput): Promise<{ id: string }> {
  return callAs(actor, "delete_pbi", { p_pbi_id: input.pbi_id }, z.object({ id: z.string() }));
}
