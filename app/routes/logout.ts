import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { clearSessionCookies, readSessionCookie, withCookies } from "~/http/session.server";
import { endSession } from "~/nouns/accounts/operations.server";

/** A link must not sign anyone out: GET only redirects to the start page. */
export function loader() {
  return redirect("/");
}

/** `POST /logout`: ends the session in the database, so that its cookie is worthless everywhere. */
export async function action({ request, context }: ActionFunctionArgs) {
  const { database, env } = context.services;
  const cookies = request.headers.get("cookie");
  const session = await readSessionCookie(cookies, env);
  if (session) {
    await endSession(database, { session_id: session.session_id, ip: context.clientAddress });
  }
  const left = redirect("/login?notice=signed-out", 303);
  return withCookies(left, await clearSessionCookies(cookies, env));
}
