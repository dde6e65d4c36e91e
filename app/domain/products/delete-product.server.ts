import { z } from "zod";
import type { DeleteProductInput } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Deletes a product with everything in it; the caller repeats its code. */
export function deleteProduct(actor: Actor, input: DeleteProductInput): Promise<{ id: string }> {
  return callAs(
    actor,
    "delete_product",
    { p_product_id: input.product_id, p_code: input.code },
    z.object({ id: z.string() }),
  );
}
