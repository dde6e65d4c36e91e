import { createHash } from "node:crypto";
import { pairingSeconds } from "~/contract/pairing-code";
import type { Env } from "~/env.server";
import { readCookie } from "./session.server";

/**
 * The cookie `app_pair` carries the desktop token and nothing else does (specification: Authentication 6).
 * Clearing repeats path and attributes, or a browser would keep it.
 */
const name = "app_pair";

type CookieEnv = Pick<Env, "secureCookies">;

/** The `Set-Cookie` value of a started pairing. */
export function pairCookie(desktopToken: string, env: CookieEnv): string {
  return `${name}=${desktopToken}; ${attributes(pairingSeconds, env)}`;
}

/** The `Set-Cookie` value that removes the pairing cookie. */
export function clearPairCookie(env: CookieEnv): string {
  return `${name}=; ${attributes(0, env)}`;
}

/** The hex SHA-256 of the desktop token of a request; undefined without cookie. */
export function readPairCookieHash(cookieHeader: string | null): string | undefined {
  const token = readCookie(cookieHeader, name);
  return token === undefined ? undefined : createHash("sha256").update(token).digest("hex");
}

function attributes(maxAge: number, env: CookieEnv): string {
  return `Max-Age=${maxAge}; Path=/api/auth/pair; HttpOnly; SameSite=Lax${env.secureCookies ? "; Secure" : ""}`;
}
