import { json } from "@remix-run/node";
import { productLoader } from "~/http/page-guards.server";
import { listProductMembers } from "~/nouns/products/operations.server";

/** `GET /products/:id/member-names`: members to mention, loaded when the first `@` is typed. */
export const loader = productLoader(async ({ actor, productId }) => {
  const members = await listProductMembers(actor, { product_id: productId });
  return json({ names: members.map(({ username }) => username) });
});
