import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

export const productQuerySchema = z.object({ product_id: z.string().optional() });

/** 400 if it is missing, but only after the credential, so that strangers learn nothing but 401. */
export async function productToWatch(
  actor: Actor,
  { product_id: productId }: z.infer<typeof productQuerySchema>,
): Promise<string> {
  if (productId) return canonicalId(productId);
  await authenticate(actor);
  throw new ContractError(400, "Say which product: ?product_id=<id>.");
}
