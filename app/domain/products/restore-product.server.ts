import { type ProductDetail, type ProductIdInput, productDetailSchema } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Restores an archived product; only its owner may (specification: GET /api/products). */
export function restoreProduct(actor: Actor, input: ProductIdInput): Promise<ProductDetail> {
  return callAs(actor, "restore_product", { p_product_id: input.product_id }, productDetailSchema);
}
