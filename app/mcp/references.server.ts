import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { resolveReference } from "~/nouns/search/operations.server";
import { isCanonicalUuid } from "~/wire/canonical-id";

export type ReferenceKind = "product" | "pbi" | "story" | "task" | "sprint" | "idea";

/** An id or a code. People and agents remember codes. */
export const reference = z.string().trim().min(1).max(200);
export const idOrCode = reference.describe("Id or code");

/** Disambiguates a code that several products use. */
export const productOfCode = { product_id: reference.optional().describe("Of the code") };

/** Returns the id of a reference. Codes are looked up in the caller's products. */
export async function resolveId(actor: Actor, kind: ReferenceKind, given: string, product?: string): Promise<string> {
  if (isCanonicalUuid(given)) return given;
  const product_id = product === undefined ? undefined : await resolveId(actor, "product", product);
  const { id } = await resolveReference(actor, { kind, reference: given, product_id });
  return id;
}

/** Like `resolveId`, for a reference that may be absent. */
export async function resolveOptionalId(
  actor: Actor,
  kind: ReferenceKind,
  given: string | undefined,
  product?: string,
): Promise<string | undefined> {
  return given === undefined ? undefined : resolveId(actor, kind, given, product);
}

/** Resolves references in calls with a job: codes belong to the named product, otherwise to the job's product. */
export function inProductOfJob(actor: Actor, product: string | undefined, job_id: string | undefined) {
  const id = async (kind: ReferenceKind, given: string): Promise<string> => {
    if (isCanonicalUuid(given)) return given;
    const jobs = product === undefined && job_id !== undefined;
    const of = jobs ? (await getAgentJob(actor, { job_id })).product_id : product;
    return resolveId(actor, kind, given, of);
  };
  const optionalId = async (kind: ReferenceKind, given: string | undefined) =>
    given === undefined ? undefined : id(kind, given);
  return { id, optionalId };
}
