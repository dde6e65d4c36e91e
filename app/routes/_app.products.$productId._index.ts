import { type LoaderFunctionArgs, redirect } from "@remix-run/node";

/** A product's start page is its backlog. */
export function loader({ params }: LoaderFunctionArgs) {
  return redirect(`/products/${params.productId}/backlog`);
}
