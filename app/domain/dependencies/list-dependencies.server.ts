import type { ListDependenciesInput } from "~/contract/dependency";
import { type Actor, callAsRaw } from "~/db/rpc.server";

/** What a task or story waits for, and what waits for it, as the JSON text that the database made. */
export function listDependenciesJson(actor: Actor, input: ListDependenciesInput): Promise<string> {
  return callAsRaw(actor, "list_dependencies", { p_kind: input.kind, p_id: input.id });
}
