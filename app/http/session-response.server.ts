import { type AppLoadContext, redirect } from "@remix-run/node";
import type { NewSession } from "~/domain/accounts/create-session.server";
import { sealSessionCookie } from "./session.server";

/** Sends a browser on with its new session; somebody who has to choose a new password does that first. */
export async function startSession(
  session: NewSession,
  goTo: string,
  context: AppLoadContext,
): Promise<Response> {
  const { session_id, user_id, is_demo, must_reset_password: mustReset } = session;
  const cookie = await sealSessionCookie({ session_id, user_id, is_demo }, context.services.env);
  const target = mustReset ? "/password" : goTo;
  return redirect(target, { status: 303, headers: { "set-cookie": cookie } });
}
