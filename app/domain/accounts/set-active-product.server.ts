import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Selects the product the user works on, or none (specification: Authentication 8). */
export async function setActiveProduct(actor: Actor, productId: string | null): Promise<void> {
  await callAs(
    actor,
    "set_active_product",
    { p_product_id: productId },
    z.object({ active_product_id: z.uuid().nullable() }),
  );
}
