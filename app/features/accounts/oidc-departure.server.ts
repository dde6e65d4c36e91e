import { type AppLoadContext, redirect } from "@remix-run/node";
import { serializeCookieHeader } from "@supabase/ssr";
import { z } from "zod";
import type { OidcSettings } from "~/env-oidc.server";
import { ownCookie, readCookie } from "~/http/session.server";
import { startSignIn } from "~/nouns/identities/provider.server";
import { readStamped, seal, stamp, unseal } from "~/nouns/identities/seal.server";
import { ContractError } from "~/wire/errors";
import { providerName } from "./provider";

/** State kept while the browser is at the identity provider, sealed in a cookie scoped to /auth/oidc. */
const tripSchema = z.object({
  departure: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  goTo: z.string(),
  /** The account to connect, or null for a sign-in. */
  connects: z.uuid().nullable(),
  asksConsent: z.boolean(),
  /** Milliseconds. Sealed too, because a copied cookie outlives its max-age. */
  expires_at: z.number(),
});
type Trip = z.infer<typeof tripSchema>;

const cookiePath = "/auth/oidc";
const maxAge = 600;

/** Returns the OIDC settings, or throws 404 if company sign-in is not set up. */
export function requireOidc({ services }: AppLoadContext): OidcSettings {
  if (services.env.oidc) return services.env.oidc;
  throw new ContractError(404, "Company sign-in is not set up here. Sign in with your username and password.");
}

/** Display name of the identity provider, or null if none is set up. */
export function providerOf({ services }: AppLoadContext): string | null {
  const { oidc } = services.env;
  return oidc ? providerName(oidc.issuer) : null;
}

/** Redirects the browser to the identity provider. */
export async function depart(
  context: AppLoadContext,
  { goTo, connects, asksConsent }: Omit<Trip, "departure" | "expires_at">,
): Promise<Response> {
  const { env } = context.services;
  const redirectUri = `${context.origin}${cookiePath}/callback`;
  const { address, departure } = await startSignIn(requireOidc(context), { redirectUri, asksConsent });
  const expires_at = Date.now() + maxAge * 1_000;
  const trip: Trip = { departure, goTo, connects, asksConsent, expires_at };
  const sealed = await seal("departure", JSON.stringify(trip), env.sessionSecrets);
  const headers = { "set-cookie": cookie(context, sealed, maxAge), "cache-control": "no-store" };
  return redirect(address.href, { headers });
}

/** Returns the state from the cookie, or throws 401 if it is missing or expired. */
export async function readTrip(request: Request, { services }: AppLoadContext): Promise<Trip> {
  const sealed = readCookie(request.headers.get("cookie"), ownCookie("oidc", services.env));
  const text = sealed && (await unseal("departure", sealed, services.env.sessionSecrets));
  const trip = tripSchema.safeParse(text ? JSON.parse(text) : null);
  if (trip.success && trip.data.expires_at > Date.now()) return trip.data;
  const message = "This sign-in expired, or it was started in another browser. Start again from the sign-in page.";
  throw new ContractError(401, message);
}

/** `Set-Cookie` value that clears the state, so an answer of the provider can be used only once. */
export const forgetTrip = (context: AppLoadContext): string => cookie(context, "", 0);

function cookie({ services }: AppLoadContext, value: string, age: number): string {
  return serializeCookieHeader(ownCookie("oidc", services.env), value, {
    path: cookiePath,
    httpOnly: true,
    sameSite: "lax",
    secure: services.env.secureCookies,
    maxAge: age,
  });
}

/** The key is a CSRF token: otherwise an attacker could link a signed-in person to their own identity and sign in. */
export function connectAddress({ services }: AppLoadContext, sessionId: string): string {
  return `/auth/oidc?connect=${stamp("connect", sessionId, "", services.env.sessionSecrets)}`;
}

/** Whether `given` is the connect key of this session. */
export function isConnectKey({ services }: AppLoadContext, sessionId: string, given: string): boolean {
  return readStamped("connect", sessionId, given, services.env.sessionSecrets) === "";
}
