import { redirect } from "@remix-run/node";
import { done, textOf } from "~/http/form-action.server";
import { writeAction } from "~/http/page-guards.server";
import { setActiveProduct } from "~/nouns/accounts/operations.server";
import { canonicalId } from "~/wire/canonical-id";

/** GET changes nothing. */
export function loader() {
  return redirect("/dashboard");
}

/** `POST /active-product`: sets the user's active product (specification: Authentication 8); empty clears it. */
export const action = writeAction(async ({ actor, form }) => {
  if (textOf(form, "product_id") === "") {
    await setActiveProduct(actor, { product_id: null });
    return done(form, "/dashboard");
  }
  const productId = canonicalId(textOf(form, "product_id"));
  await setActiveProduct(actor, { product_id: productId });
  return done(form, `/products/${productId}/backlog`);
});
