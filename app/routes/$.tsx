import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { movedTo } from "~/http/redirects.server";

/** Unknown page addresses are a 404, which the root's error boundary renders; those of moved pages lead there. */
export function loader({ request }: LoaderFunctionArgs): never {
  const moved = movedTo(new URL(request.url));
  if (moved) throw redirect(moved);
  throw new Response("Check the address, or the item may have been deleted.", { status: 404 });
}

export default function UnknownAddress() {
  return null;
}
