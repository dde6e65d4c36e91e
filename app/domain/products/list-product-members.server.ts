import { z } from "zod";
import { type ProductIdInput, type ProductMember, productMemberSchema } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Owner and members of a product (specification: Authentication 4). */
export function listProductMembers(actor: Actor, input: ProductIdInput): Promise<ProductMember[]> {
  return callAs(
    actor,
    "list_product_members",
    { p_product_id: input.product_id },
    z.array(productMemberSchema),
  );
}
