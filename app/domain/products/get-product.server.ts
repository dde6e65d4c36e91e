import { type ProductDetail, type ProductIdInput, productDetailSchema } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** One product with all fields and the role of the caller (specification: Product). */
export function getProduct(actor: Actor, input: ProductIdInput): Promise<ProductDetail> {
  return callAs(actor, "get_product", { p_product_id: input.product_id }, productDetailSchema);
}
