import type { AppLoadContext } from "@remix-run/node";
import type { SigningInBrowser } from "~/nouns/accounts/log-in.server";
import { readSessionCookie } from "./session.server";

/** Describes the browser of a request and its previous session, which a sign-in ends and replaces. */
export async function signingInBrowser(
  request: Request,
  context: AppLoadContext,
): Promise<SigningInBrowser> {
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
