import { type ProductDetail, type ProductIdInput, productDetailSchema } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Archives a product: readable, not writable; only its owner may (specification: GET /api/products). */
export function archiveProduct(actor: Actor, input: ProductIdInput): Promise<ProductDetail> {
  return callAs(actor, "archive_product", { p_product_id: input.product_id }, productDetailSchema);
}
