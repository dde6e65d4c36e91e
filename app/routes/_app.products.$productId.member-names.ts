import { json } from "@remix-run/node";
import { listProductMembers } from "~/domain/products/operations.server";
import { pageLoader, requireProduct } from "~/http/page-guards.server";

/** `GET /products/:id/member-names`: members to mention, loaded when the first `@` is typed. */
export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  const members = await listProductMembers(actor, { product_id: productId });
  return json({ names: members.map(({ username }) => username) });
});
