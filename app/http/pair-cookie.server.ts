import { createHash } from "node:crypto";
import { pairingSeconds } from "~/contract/pairing-code";
import type { Env } from "~/env.server";
import { readCookie } from "./session.server";

/**
 * The cookie `app_pair` is the only carrier of the desktop token (specification: Authentication 6).
 * Clearing must repeat path and attributes, or the browser keeps it.
 */
const name = "app_pair";

type CookieEnv = Pick<Env, "secureCookies">;

/** `Set-Cookie` value of a started pairing. */
export function pairCookie(desktopToken: string, env: CookieEnv): string {
  return `${name}=${desktopToken}; ${attributes(pairingSeconds, env)}`;
}

/** `Set-Cookie` value that removes the pairing cookie. */
export function clearPairCookie(env: CookieEnv): string {
  return `${name}=; ${attributes(0, env)}`;
}

/** Returns the hex SHA-256 of a request's desktop token, or undefined without a cookie. */
export function readPairCookieHash(cookieHeader: string | null): string | undefined {
  const token = readCookie(cookieHeader, name);
  return token === undefined ? undefined : createHash("sha256").update(token).digest("hex");
}

function attributes(maxAge: number, env: CookieEnv): string {
  return `Max-Age=${maxAge}; Path=/api/auth/pair; HttpOnly; SameSite=Lax${env.secureCookies ? "; Secure" : ""}`;
}
