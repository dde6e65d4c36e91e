import { createHash } from "node:crypto";
import type { Env } from "~/env.server";
import { pairingSeconds } from "~/nouns/pairings/pairing-code";
import { ownCookie, readCookie } from "./session.server";

/**
 * The only carrier of the desktop token (specification: Authentication 6). Clearing must repeat path and attributes.
 * A twin under our own name is read first, because a second service on this host overwrites `app_pair`.
 */
const namesOf = (env: CookieEnv) => ["app_pair", ownCookie("app_pair", env)];

type CookieEnv = Pick<Env, "secureCookies" | "appOrigin">;

/** `Set-Cookie` values of a started pairing. */
export function pairCookies(desktopToken: string, env: CookieEnv): string[] {
  return namesOf(env).map((name) => `${name}=${desktopToken}; ${attributes(pairingSeconds, env)}`);
}

/** `Set-Cookie` values that remove the pairing cookie. */
export function clearPairCookies(env: CookieEnv): string[] {
  return namesOf(env).map((name) => `${name}=; ${attributes(0, env)}`);
}

/** Returns the hex SHA-256 of a request's desktop token, or undefined without a cookie. */
export function readPairCookieHash(cookieHeader: string | null, env: CookieEnv): string | undefined {
  const [token] = namesOf(env)
    .flatMap((name) => readCookie(cookieHeader, name) ?? [])
    .reverse();
  return token === undefined ? undefined : createHash("sha256").update(token).digest("hex");
}

function attributes(maxAge: number, env: CookieEnv): string {
  return `Max-Age=${maxAge}; Path=/api/auth/pair; HttpOnly; SameSite=Lax${env.secureCookies ? "; Secure" : ""}`;
}
