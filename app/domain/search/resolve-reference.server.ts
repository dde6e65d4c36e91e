import { type Reference, type ResolveReferenceInput, referenceSchema } from "~/contract/search";
import { type Actor, callAs } from "~/db/rpc.server";

/** The thing behind an id or a code (specification: Entity codes). */
export function resolveReference(actor: Actor, input: ResolveReferenceInput): Promise<Reference> {
  return callAs(
    actor,
    "resolve_reference",
    { p_kind: input.kind, p_reference: input.reference, p_product_id: input.product_id },
    referenceSchema,
  );
}
