import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { at } from "~/http/redirects.server";

/** A product's start page is its backlog. */
export function loader({ params }: LoaderFunctionArgs) {
  return redirect(at`/products/${params.productId}/backlog`);
}
