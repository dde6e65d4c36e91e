import { type AppLoadContext, redirect } from "@remix-run/node";
import type { NewSession, SigningInBrowser } from "~/nouns/accounts/log-in.server";
import { parseTheme, themeCookie } from "~/ui/theme";
import { readSessionCookie, sealSessionCookies } from "./session.server";

/** Describes the browser of a request and its previous session, which a sign-in ends and replaces. */
export async function signingInBrowser(request: Request, context: AppLoadContext): Promise<SigningInBrowser> {
  const { env } = context.services;
  const session = await readSessionCookie(request.headers.get("cookie"), env);
  return {
    userAgent: userAgentOf(request),
    address: context.clientAddress,
    previousSessionId: session?.session_id ?? null,
  };
}

/** Returns the User-Agent without characters Postgres cannot store, at most 255 characters (specification: Limits). */
export function userAgentOf(request: Request): string | null {
  const header = request.headers.get("user-agent");
  if (header === null) return null;
  return [...header.replace(/[\0\p{Surrogate}]/gu, "")].slice(0, 255).join("");
}

/** Sets the session cookie and redirects to `goTo`, the product just joined, or /password if the user must choose a new one. */
export async function startSession(session: NewSession, goTo: string, context: AppLoadContext): Promise<Response> {
  const { session_id, user_id, is_demo, must_reset_password: mustReset, joined } = session;
  const start = joined === null ? goTo : `/products/${joined}/backlog`;
  const cookies = await sealSessionCookies({ session_id, user_id, is_demo }, context.services.env);
  const response = redirect(mustReset ? "/password" : start, 303);
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  // If the user never chose a theme, the browser keeps its own.
  const theme = parseTheme(session.theme.toLowerCase());
  if (theme !== "system") response.headers.append("set-cookie", themeCookie(theme));
  return response;
}
