import {
  type AddProductMemberInput,
  type ProductMember,
  productMemberSchema,
} from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Adds a member by user name or e-mail; only the owner may (specification: Authentication 4). */
export function addProductMember(
  actor: Actor,
  input: AddProductMemberInput,
): Promise<Omit<ProductMember, "created_at" | "workers_allowed">> {
  return callAs(
    actor,
    "add_product_member",
    { p_product_id: input.product_id, p_identifier: input.identifier },
    productMemberSchema.omit({ created_at: true, workers_allowed: true }),
  );
}
