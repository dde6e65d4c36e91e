import type { LoaderFunctionArgs } from "@remix-run/node";

/** Every page address that is none; the error boundary of the root renders it. */
export function loader(_: LoaderFunctionArgs): never {
  throw new Response("Check the address, or the item may have been deleted.", { status: 404 });
}

export default function UnknownAddress() {
  return null;
}
