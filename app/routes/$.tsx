import type { LoaderFunctionArgs } from "@remix-run/node";

/** Handles unknown page addresses with a 404, which the root's error boundary renders. */
export function loader(_: LoaderFunctionArgs): never {
  throw new Response("Check the address, or the item may have been deleted.", { status: 404 });
}

export default function UnknownAddress() {
  return null;
}
