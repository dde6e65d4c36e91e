import { z } from "zod";
import type { RemoveProductMemberInput } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Removes a member, who loses access at once; only the owner may (specification: Authentication 4). */
export function removeProductMember(
  actor: Actor,
  input: RemoveProductMemberInput,
): Promise<{ product_id: string; user_id: string }> {
  return callAs(
    actor,
    "remove_product_member",
    { p_product_id: input.product_id, p_user_id: input.user_id },
    z.object({ product_id: z.string(), user_id: z.string() }),
  );
}
