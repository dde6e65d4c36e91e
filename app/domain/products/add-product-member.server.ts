import {
  type AddProductMemberInput,
  type ProductMember,
  productMemberSchema,
} from "~/contract/product";
import { orRefused, unlessRefused } from "~/db/counted-refusal.server";
import { type Actor, callAs } from "~/db/rpc.server";

const addedSchema = productMemberSchema.omit({ created_at: true, workers_allowed: true });

/** Adds a member by user name or e-mail; only the owner may (specification: Authentication 4). */
export async function addProductMember(
  actor: Actor,
  input: AddProductMemberInput,
): Promise<Omit<ProductMember, "created_at" | "workers_allowed">> {
  const given = { p_product_id: input.product_id, p_identifier: input.identifier };
  return unlessRefused(await callAs(actor, "add_product_member", given, orRefused(addedSchema)));
}
