import type { AppLoadContext } from "@remix-run/node";
import type { SigningInBrowser } from "~/domain/accounts/create-session.server";
import { readSessionCookie } from "./session.server";

/** The browser behind a request, with the session it had: a sign-in ends that one and makes a new one. */
export async function signingInBrowser(
  request: Request,
  context: AppLoadContext,
): Promise<SigningInBrowser> {
  const { sessionSecrets } = context.services.env;
  const session = await readSessionCookie(request.headers.get("cookie"), sessionSecrets);
  return {
    userAgent: userAgentOf(request),
    address: context.clientAddress,
    previousSessionId: session?.session_id ?? null,
  };
}

/** What Postgres can store of the header, at most 255 characters (specification: Limits). */
export function userAgentOf(request: Request): string | null {
  const header = request.headers.get("user-agent");
  if (header === null) return null;
  return [...header.replace(/[\0\p{Surrogate}]/gu, "")].slice(0, 255).join("");
}
