import { z } from "zod";
import { type Product, productSchema } from "~/contract/product";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Active products of the caller (specification: GET /api/products). */
export function listProducts(actor: Actor): Promise<Product[]> {
  return callAs(actor, "list_products", {}, z.array(productSchema));
}

/** The same, as the JSON text that the database made. */
export function listProductsJson(actor: Actor): Promise<string> {
  return callAsRaw(actor, "list_products", {});
}
