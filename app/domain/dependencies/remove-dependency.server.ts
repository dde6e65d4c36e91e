import {
  type Dependencies,
  dependenciesSchema,
  type RemoveDependencyInput,
} from "~/contract/dependency";
import { type Actor, callAs } from "~/db/rpc.server";

/** Ends a dependency; that there was none is fine. */
export function removeDependency(
  actor: Actor,
  input: RemoveDependencyInput,
): Promise<Dependencies> {
  return callAs(
    actor,
    "remove_dependency",
    { p_kind: input.kind, p_id: input.id, p_blocker: input.blocker },
    dependenciesSchema,
  );
}
