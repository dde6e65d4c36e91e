import { createHash, timingSafeEqual } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import type { Credential } from "~/db/database.server";
import { readSessionCookie } from "./session.server";

/** Tokens are longer than this in no case; more is not even hashed. */
const longestToken = 512;

/** Who asks, or 401. Whether the credential is good is decided in the database, with the operation. */
export async function requireCredential(
  mode: "bearer" | "cookie" | "either",
  request: Request,
  context: AppLoadContext,
): Promise<Credential> {
  // A bearer token, when present, decides alone: there is no way back to the cookie.
  if (mode === "bearer" || (mode === "either" && hasBearer(request))) {
    return { token_hash: sha256(requireBearer(request)).toString("hex") };
  }
  const session = await readSessionCookie(
    request.headers.get("cookie"),
    context.services.env.sessionSecrets,
  );
  if (session) return { session_id: session.session_id };
  throw new ContractError(401, "Sign in first, or send an API token as a bearer token.");
}

/** Lets only the schedule in. Without a configured secret nobody is. */
export function requireCronSecret(request: Request, secret: string | undefined): void {
  if (secret !== undefined && bringsSecret(authorizationOf(request), secret)) return;
  throw new ContractError(
    401,
    "The schedule's secret is missing or wrong. Send CRON_SECRET as a bearer token.",
  );
}

/** Whether a header brings this very secret as a bearer token; how long it takes says nothing of it. */
export function bringsSecret(authorization: string, secret: string): boolean {
  const [, given] = /^Bearer (.*)$/i.exec(authorization) ?? [];
  if (given === undefined) return false;
  // Headers arrive as bytes; a secret with letters beyond ASCII was sent as UTF-8.
  return timingSafeEqual(sha256(Buffer.from(given, "latin1")), sha256(secret));
}

/** Whether a bearer token was sent, however malformed; other schemes are between the browser and a proxy. */
function hasBearer(request: Request): boolean {
  return /(?:^|,) *bearer(?: |$)/i.test(authorizationOf(request));
}

function authorizationOf(request: Request): string {
  return request.headers.get("authorization") ?? "";
}

function requireBearer(request: Request): string {
  const [, token] = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorizationOf(request)) ?? [];
  if (token !== undefined && token.length <= longestToken) return token;
  throw new ContractError(
    401,
    "An API token is needed: Authorization: Bearer <token>. Tokens are made under Settings.",
  );
}

function sha256(text: string | Buffer): Buffer {
  return createHash("sha256").update(text).digest();
}
