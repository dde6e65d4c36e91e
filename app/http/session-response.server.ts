import { type AppLoadContext, redirect } from "@remix-run/node";
import type { NewSession } from "~/domain/accounts/create-session.server";
import { parseTheme, themeCookie } from "~/ui/theme";
import { sealSessionCookie } from "./session.server";

/** Sends a browser on with its new session; somebody who has to choose a new password does that first. */
export async function startSession(
  session: NewSession,
  goTo: string,
  context: AppLoadContext,
): Promise<Response> {
  const { session_id, user_id, is_demo, must_reset_password: mustReset } = session;
  const cookie = await sealSessionCookie({ session_id, user_id, is_demo }, context.services.env);
  const response = redirect(mustReset ? "/password" : goTo, 303);
  response.headers.append("set-cookie", cookie);
  // A theme that was never chosen leaves this browser as it is.
  const theme = parseTheme(session.theme.toLowerCase());
  if (theme !== "system") response.headers.append("set-cookie", themeCookie(theme));
  return response;
}
