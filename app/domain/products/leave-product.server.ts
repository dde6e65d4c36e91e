import { z } from "zod";
import type { ProductIdInput } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** The caller gives up access to a product (specification: Other records). */
export function leaveProduct(actor: Actor, input: ProductIdInput): Promise<{ product_id: string }> {
  return callAs(
    actor,
    "leave_product",
    { p_product_id: input.product_id },
    z.object({ product_id: z.string() }),
  );
}
