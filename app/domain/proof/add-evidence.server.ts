import type { AddEvidenceInput } from "~/contract/proof";
import { type Actor, callAsRaw } from "~/db/rpc.server";

/** Adds evidence for a criterion of a story; answers it as JSON (docs/proof.md). */
export function addEvidenceJson(
  actor: Actor,
  { story_id, ...evidence }: AddEvidenceInput,
): Promise<string> {
  return callAsRaw(actor, "add_evidence", { p_story_id: story_id, p_evidence: evidence });
}
