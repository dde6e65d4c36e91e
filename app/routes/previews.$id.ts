import { redirect } from "@remix-run/node";
import { personLoader } from "~/http/page-guards.server";
import { wayInto } from "~/previews/previews.server";

/** `/previews/:id`: leads a member to the preview's own origin. */
export const loader = personLoader(async ({ actor, params, context }) => {
  const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return redirect(await wayInto(context.services, actor, params.id ?? ""), { headers });
});
