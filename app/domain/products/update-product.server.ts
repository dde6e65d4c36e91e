import {
  type ProductDetail,
  productDetailSchema,
  type UpdateProductInput,
} from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Edits a product; only its owner may (specification: Product). */
export function updateProduct(
  actor: Actor,
  { product_id, ...changes }: UpdateProductInput,
): Promise<ProductDetail> {
  return callAs(
    actor,
    "update_product",
    { p_product_id: product_id, p_changes: changes },
    productDetailSchema,
  );
}
