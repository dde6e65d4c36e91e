import { json } from "@remix-run/node";
import { pageLoader, requireProduct } from "~/http/page-guards.server";
import { listProductMembers } from "~/nouns/products/operations.server";

/** `GET /products/:id/member-names`: members to mention, loaded when the first `@` is typed. */
export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  const members = await listProductMembers(actor, { product_id: productId });
  return json({ names: members.map(({ username }) => username) });
});
