import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { noSuch } from "~/http/require-id.server";
import { isCanonicalUuid } from "~/http/uuid";
import { authenticate } from "~/nouns/accounts/authenticate.server";

export const productQuerySchema = z.object({ product_id: z.string().optional() });

/**
 * Returns the requested product id. Throws 400 if it is missing, 404 if it is not an id. Checks the credential first,
 * so that strangers learn nothing but 401 (specification: Solo stream).
 */
export async function productToWatch(
  actor: Actor,
  { product_id: productId }: z.infer<typeof productQuerySchema>,
): Promise<string> {
  if (productId !== undefined && isCanonicalUuid(productId)) return productId;

  await authenticate(actor);
  if (productId) throw noSuch("product");
  throw new ContractError(400, "Say which product: ?product_id=<id>.");
}
