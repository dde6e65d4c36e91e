import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { resolveReference } from "~/domain/search/resolve-reference.server";
import { isCanonicalUuid } from "~/http/uuid";

export type ReferenceKind = "product" | "pbi" | "story" | "task" | "sprint" | "idea";

/** An id or a code: codes are what people and agents remember. */
export const reference = z.string().trim().min(1).max(200);

/** Narrows a code that several products use. */
export const productOfCode = {
  product_id: reference.optional().describe("Id or code of the product, when a code is ambiguous"),
};

/** The id behind a reference; a code is looked up among the products that the caller may use. */
export async function resolveId(
  actor: Actor,
  kind: ReferenceKind,
  given: string,
  product?: string,
): Promise<string> {
  if (isCanonicalUuid(given)) return given;
  const product_id = product === undefined ? undefined : await resolveId(actor, "product", product);
  const { id } = await resolveReference(actor, { kind, reference: given, product_id });
  return id;
}

/** The same for a reference that may be absent. */
export async function resolveOptionalId(
  actor: Actor,
  kind: ReferenceKind,
  given: string | undefined,
  product?: string,
): Promise<string | undefined> {
  return given === undefined ? undefined : resolveId(actor, kind, given, product);
}
