import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { endSession } from "~/domain/accounts/operations.server";
import { clearSessionCookie, readSessionCookie } from "~/http/session.server";

/** A link must not sign anybody out: GET only redirects to the start page. */
export function loader() {
  return redirect("/");
}

/** `POST /logout`: ends the session in the database, so that its cookie is worthless everywhere. */
export async function action({ request, context }: ActionFunctionArgs) {
  const { database, env } = context.services;
  const session = await readSessionCookie(request.headers.get("cookie"), env.sessionSecrets);
  if (session) {
    await endSession(database, { session_id: session.session_id, ip: context.clientAddress });
  }
  return redirect("/login?notice=signed-out", {
    status: 303,
    headers: { "set-cookie": clearSessionCookie(env) },
  });
}
