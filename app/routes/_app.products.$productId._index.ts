import { type LoaderFunctionArgs, redirect } from "@remix-run/node";

/** A product opens with its backlog. */
export function loader({ params }: LoaderFunctionArgs) {
  return redirect(`/products/${params.productId}/backlog`);
}
