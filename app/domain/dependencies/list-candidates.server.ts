import { type Candidates, candidatesSchema, type ListCandidatesInput } from "~/contract/dependency";
import { type Actor, callAs } from "~/db/rpc.server";

/** What a task or story could wait for, nearest first. */
export function listCandidates(actor: Actor, input: ListCandidatesInput): Promise<Candidates> {
  const given = { p_kind: input.kind, p_id: input.id, p_query: input.query };
  return callAs(actor, "list_candidates", given, candidatesSchema);
}
