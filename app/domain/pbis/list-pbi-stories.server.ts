import type { PbiIdInput } from "~/contract/pbi";
import { type Actor, callAsRaw } from "~/db/rpc.server";

/** Stories of a PBI in their order, as the JSON text that the database made (specification: GET /api/pbis/:id/stories). */
export function listPbiStoriesJson(actor: Actor, input: PbiIdInput): Promise<string> {
  return callAsRaw(actor, "list_pbi_stories", { p_pbi_id: input.pbi_id });
}
