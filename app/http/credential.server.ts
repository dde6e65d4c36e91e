import { createHash, timingSafeEqual } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import type { Credential } from "~/db/database.server";
import { ContractError } from "~/wire/errors";
import { readSessionCookie } from "./session.server";

/** No token is longer than this. Longer ones are refused before hashing. */
const longestToken = 512;

/** Returns the caller's credential, or throws 401. The database checks its validity together with the operation. */
export async function requireCredential(
  mode: "bearer" | "cookie" | "either",
  request: Request,
  context: AppLoadContext,
): Promise<Credential> {
  // If a bearer token is present, it alone decides: there is no fallback to the cookie.
  if (mode === "bearer" || (mode === "either" && hasBearer(request))) {
    return { token_hash: sha256(requireBearer(request)).toString("hex") };
  }
  const session = await readSessionCookie(request.headers.get("cookie"), context.services.env);
  if (session) return { session_id: session.session_id };
  throw new ContractError(
    401,
    mode === "cookie"
      ? "Sign in first: this takes the session of a person, and no API token."
      : "Sign in first, or send an API token as a bearer token.",
  );
}

/** Admits only the scheduler. Without a configured secret, no one is admitted. */
export function requireCronSecret(request: Request, secret: string | undefined): void {
  if (secret !== undefined && bringsSecret(authorizationOf(request), secret)) return;
  throw new ContractError(401, "The schedule's secret is missing or wrong. Send CRON_SECRET as a bearer token.");
}

/** Whether a header carries this secret as a bearer token. Compares in constant time. */
export function bringsSecret(authorization: string, secret: string): boolean {
  const [, given] = /^Bearer (.*)$/i.exec(authorization) ?? [];
  if (given === undefined) return false;
  // Node decodes headers as Latin-1, but clients send non-ASCII secrets as UTF-8.
  return timingSafeEqual(sha256(Buffer.from(given, "latin1")), sha256(secret));
}

/** Whether a bearer token was sent, even a malformed one. Other schemes (Basic) may belong to a proxy in front. */
const hasBearer = (request: Request): boolean => /(?:^|,) *bearer(?: |$)/i.test(authorizationOf(request));

const authorizationOf = (request: Request): string => request.headers.get("authorization") ?? "";

function requireBearer(request: Request): string {
  const [, token] = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorizationOf(request)) ?? [];
  if (token !== undefined && token.length <= longestToken) return token;
  throw new ContractError(
    401,
    "An API token is needed: Authorization: Bearer <token>. Tokens are made under Settings.",
  );
}

const sha256 = (text: string | Buffer): Buffer => createHash("sha256").update(text).digest();
