import { createHmac, timingSafeEqual } from "node:crypto";
import { type AppLoadContext, redirect } from "@remix-run/node";
import { serializeCookieHeader } from "@supabase/ssr";
import { z } from "zod";
import { ContractError } from "~/contract/errors";
import { startSignIn } from "~/domain/identities/provider.server";
import { seal, unseal } from "~/domain/identities/seal.server";
import type { OidcSettings } from "~/env-oidc.server";
import { providerName } from "~/features/accounts/provider-name";
import { readCookie } from "./session.server";

/** What this browser keeps while it is away at the provider, sealed in a cookie of these two addresses alone. */
const tripSchema = z.object({
  departure: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  goTo: z.string(),
  /** The account that is to be connected; null for a sign-in. */
  connects: z.uuid().nullable(),
  asksConsent: z.boolean(),
});
type Trip = z.infer<typeof tripSchema>;

const cookieName = "oidc";
const cookiePath = "/auth/oidc";
const maxAge = 600;

export function requireOidc({ services }: AppLoadContext): OidcSettings {
  if (services.env.oidc) return services.env.oidc;
  throw new ContractError(
    404,
    "Company sign-in is not set up here. Sign in with your user name and password.",
  );
}

/** What the pages call the provider; null where none is set up. */
export function providerOf({ services }: AppLoadContext): string | null {
  const { oidc } = services.env;
  return oidc ? providerName(oidc.issuer) : null;
}

/** Sends the browser to the provider. */
export async function depart(
  context: AppLoadContext,
  { goTo, connects, asksConsent }: Omit<Trip, "departure">,
): Promise<Response> {
  const { env } = context.services;
  const redirectUri = `${context.origin}${cookiePath}/callback`;
  const { address, departure } = await startSignIn(requireOidc(context), {
    redirectUri,
    asksConsent,
  });
  const trip: Trip = { departure, goTo, connects, asksConsent };
  const sealed = await seal("departure", JSON.stringify(trip), env.sessionSecrets);
  const headers = { "set-cookie": cookie(context, sealed, maxAge), "cache-control": "no-store" };
  return redirect(address.href, { headers });
}

/** What the browser kept; refused where it kept nothing. */
export async function readTrip(request: Request, { services }: AppLoadContext): Promise<Trip> {
  const sealed = readCookie(request.headers.get("cookie"), cookieName);
  const text = sealed && (await unseal("departure", sealed, services.env.sessionSecrets));
  if (text) return tripSchema.parse(JSON.parse(text));
  const message =
    "This sign-in expired, or it was started in another browser. Start again from the sign-in page.";
  throw new ContractError(401, message);
}

/** The `Set-Cookie` value that forgets the trip: an answer of the provider counts once. */
export function forgetTrip(context: AppLoadContext): string {
  return cookie(context, "", 0);
}

function cookie({ services }: AppLoadContext, value: string, age: number): string {
  return serializeCookieHeader(cookieName, value, {
    path: cookiePath,
    httpOnly: true,
    sameSite: "lax",
    secure: services.env.secureCookies,
    maxAge: age,
  });
}

/**
 * The address that connects the account of this session. A link from elsewhere does not know its key: else anybody could
 * lead a signed-in person to a sign-in of their own choice, and get into the account with it.
 */
export function connectAddress(context: AppLoadContext, sessionId: string): string {
  return `/auth/oidc?connect=${connectKey(context, sessionId)}`;
}

export function isConnectKey(context: AppLoadContext, sessionId: string, given: string): boolean {
  const [wanted, got] = [connectKey(context, sessionId), given].map((text) => Buffer.from(text));
  return wanted !== undefined && wanted.length === got?.length && timingSafeEqual(wanted, got);
}

function connectKey({ services }: AppLoadContext, sessionId: string): string {
  const [secret = ""] = services.env.sessionSecrets;
  return createHmac("sha256", secret).update(`oidc connect\0${sessionId}`).digest("base64url");
}
