import {
  type AddDependencyInput,
  type Dependencies,
  dependenciesSchema,
} from "~/contract/dependency";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Lets a task wait for a task, or a story for a story, of its product. */
export function addDependency(actor: Actor, input: AddDependencyInput): Promise<Dependencies> {
  return callAs(actor, "add_dependency", addDependencyArguments(input), dependenciesSchema);
}

/** The same, as the JSON text that the database made. */
export function addDependencyJson(actor: Actor, input: AddDependencyInput): Promise<string> {
  return callAsRaw(actor, "add_dependency", addDependencyArguments(input));
}

function addDependencyArguments({ kind, id, blocked_by }: AddDependencyInput) {
  return { p_kind: kind, p_id: id, p_blocked_by: blocked_by };
}
