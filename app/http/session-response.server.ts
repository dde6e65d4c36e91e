import { type AppLoadContext, redirect } from "@remix-run/node";
import type { NewSession } from "~/nouns/accounts/log-in.server";
import { parseTheme, themeCookie } from "~/ui/theme";
import { sealSessionCookies } from "./session.server";

/** Sets the session cookie and redirects to `goTo`, or to /password if the user must choose a new one. */
export async function startSession(
  session: NewSession,
  goTo: string,
  context: AppLoadContext,
): Promise<Response> {
  const { session_id, user_id, is_demo, must_reset_password: mustReset } = session;
  const cookies = await sealSessionCookies({ session_id, user_id, is_demo }, context.services.env);
  const response = redirect(mustReset ? "/password" : goTo, 303);
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  // If the user never chose a theme, the browser keeps its own.
  const theme = parseTheme(session.theme.toLowerCase());
  if (theme !== "system") response.headers.append("set-cookie", themeCookie(theme));
  return response;
}
