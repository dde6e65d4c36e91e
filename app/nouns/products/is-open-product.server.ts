import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { getProduct } from "./operations.server";

/** True if the caller may use the product and it is not archived. */
export async function isOpenProduct(actor: Actor, productId: string): Promise<boolean> {
  try {
    return (await getProduct(actor, { product_id: productId })).archived_at === null;
  } catch (error) {
    if (error instanceof ContractError && [403, 404].includes(error.status)) return false;
    throw error;
  }
}
