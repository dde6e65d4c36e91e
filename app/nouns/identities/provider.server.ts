import * as client from "openid-client";
import type { OidcSettings } from "~/env-oidc.server";
import { emailSchema } from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";

export interface ProvenPerson {
  issuer: string;
  subject: string;
  /** Null unless the provider has verified the address. */
  verifiedEmail: string | null;
  wantedName: string | null;
  /** Null if no claim is configured. */
  isAdmin: boolean | null;
  refreshToken: string | null;
}

/** Values a browser keeps while it is at the provider. */
type Departure = { state: string; nonce: string; verifier: string };

const patienceSeconds = 10;
const known = new WeakMap<OidcSettings, Promise<client.Configuration>>();

/** The provider's configuration from its discovery document, read once. A failed lookup is retried next time. */
async function connect(settings: OidcSettings): Promise<client.Configuration> {
  const earlier = known.get(settings);
  if (earlier) return earlier;
  const found = discover(settings);
  known.set(settings, found);
  found.catch(() => known.delete(settings));
  return found;
}

function discover({ issuer, clientId, clientSecret }: OidcSettings) {
  const isLocal = new URL(issuer).protocol === "http:";
  return client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: patienceSeconds,
    // Checks the ID token's signature as well, although it comes directly from the provider.
    execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
  });
}

/** Address where the browser signs in, and the values it keeps. */
export async function startSignIn(
  settings: OidcSettings,
  { redirectUri, asksConsent }: { redirectUri: string; asksConsent: boolean },
): Promise<{ address: URL; departure: Departure }> {
  const config = await connect(settings).catch(refuseProvider);
  const departure = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopesOf(config),
    code_challenge: await client.calculatePKCECodeChallenge(departure.verifier),
    code_challenge_method: "S256",
    state: departure.state,
    nonce: departure.nonce,
    ...(isGoogle(config) ? { access_type: "offline" } : {}),
    ...(asksConsent ? { prompt: "consent" } : {}),
  });
  return { address, departure };
}

/** Validates the provider's answer and returns the person; refuses invalid ones. */
export async function finishSignIn(
  settings: OidcSettings,
  answer: URL,
  { state, nonce, verifier }: Departure,
): Promise<ProvenPerson> {
  const config = await connect(settings).catch(refuseProvider);
  const tokens = await client
    .authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    .catch(refuse);
  const idToken = tokens.claims();
  if (!idToken) throw new ContractError(401, "The identity provider did not identify you. Sign in again.");
  const claims = await completeClaims(config, tokens.access_token, idToken);
  return {
    issuer: settings.issuer,
    subject: idToken.sub,
    verifiedEmail: verifiedEmailOf(claims),
    wantedName: typeof claims.preferred_username === "string" ? claims.preferred_username : null,
    isAdmin: isAdministrator(claims, settings.adminClaim),
    refreshToken: tokens.refresh_token ?? null,
  };
}

type Renewal = { outcome: "kept"; refreshToken: string; isAdmin: boolean | null } | { outcome: "ended" };

/** Checks whether the account still exists. Throws if the provider cannot tell. */
export async function renewSignIn(
  settings: OidcSettings,
  { subject, refreshToken }: { subject: string; refreshToken: string },
): Promise<Renewal> {
  const config = await connect(settings);
  const tokens = await client.refreshTokenGrant(config, refreshToken).catch(nullWhenEnded);
  if (tokens === null) return { outcome: "ended" };
  // The new token must be kept even if reading claims fails, because the old one may be invalid now.
  const claims = await completeClaims(config, tokens.access_token, { sub: subject, ...tokens.claims() }).catch(
    () => null,
  );
  return {
    outcome: "kept",
    refreshToken: tokens.refresh_token ?? refreshToken,
    isAdmin: claims && isAdministrator(claims, settings.adminClaim),
  };
}

function nullWhenEnded(error: unknown): null {
  if (error instanceof client.ResponseBodyError && error.error === "invalid_grant") return null;
  throw error;
}

/** Claims of the ID token and, if the provider has one, of its userinfo endpoint. */
async function completeClaims(
  config: client.Configuration,
  accessToken: string,
  idToken: Claims & { sub: string },
): Promise<Claims> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return idToken;
  const more = await client.fetchUserInfo(config, accessToken, idToken.sub).catch(refuse);
  return { ...more, ...idToken };
}

/** Scopes to ask for. Includes `offline_access` if offered: without it, no one notices that an account has ended. */
function scopesOf(config: client.Configuration): string {
  const offered = config.serverMetadata().scopes_supported ?? [];
  const wanted = ["openid", "profile", "email"];
  return [...wanted, ...(offered.includes("offline_access") ? ["offline_access"] : [])].join(" ");
}

/** True if asking for consent again yields a refresh token. */
export async function offersLastingAccess(settings: OidcSettings): Promise<boolean> {
  const config = await connect(settings).catch(refuseProvider);
  return isGoogle(config) || scopesOf(config).endsWith("offline_access");
}

/** Reads the provider's discovery document. Throws if it is missing or does not match. */
export async function checkProvider(settings: OidcSettings): Promise<void> {
  await discover(settings);
}

/** Google uses a parameter instead of the scope. */
function isGoogle(config: client.Configuration): boolean {
  return config.serverMetadata().issuer === "https://accounts.google.com";
}

/** Converts a provider error to a refusal. Blames this browser only if the provider works and is configured. */
function refuse(error: unknown): never {
  if (error instanceof client.AuthorizationResponseError && error.error === "access_denied") {
    throw refusal(403, "The identity provider denied access. Ask its administrator for access to Backloom.", error);
  }
  if (isAway(error) || isMisconfigured(error)) refuseProvider(error);
  throw refusal(401, "This sign-in is not valid for this browser. Start again from the sign-in page.", error);
}

function refuseProvider(error: unknown): never {
  const message = isAway(error)
    ? "The identity provider is not responding. Try again, or sign in with your password."
    : "Company sign-in is misconfigured. Sign in with your password, and ask your administrator to run npm run admin -- doctor.";
  throw refusal(503, message, error);
}

/** True for a timeout, no connection, or a server error. */
function isAway(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.status >= 500;
  if (!(error instanceof client.ClientError)) return error instanceof TypeError;
  const { cause } = error;
  return (
    ["OAUTH_TIMEOUT", "OAUTH_ABORT"].includes(error.code ?? "") || (cause instanceof Response && cause.status >= 500)
  );
}

/** The provider rejects Backloom's client id, secret or redirect address. */
function isMisconfigured(error: unknown): boolean {
  return error instanceof client.ResponseBodyError && ["invalid_client", "unauthorized_client"].includes(error.error);
}

function refusal(status: 401 | 403 | 503, message: string, cause: unknown): ContractError {
  const refused = new ContractError(status, message);
  refused.cause = cause;
  return refused;
}

type Claims = Readonly<Record<string, unknown>>;

/** The email address if the provider has verified it, by the standard claim or by Microsoft Entra's. */
function verifiedEmailOf(claims: Claims): string | null {
  const isVerified = [claims.email_verified, claims.xms_edov].some((claim) =>
    [true, "true", 1, "1"].some((yes) => yes === claim),
  );
  const email = emailSchema.safeParse(claims.email);
  return isVerified && email.success ? email.data : null;
}

/** True if the claim makes the person an administrator; null if none is configured. */
function isAdministrator(claims: Claims, wanted: OidcSettings["adminClaim"]): boolean | null {
  if (!wanted) return null;
  const claim = claimAt(claims, wanted.name);
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.some((value) => value === wanted.value || String(value) === String(wanted.value));
}

/** Finds a claim by name or by path, such as Keycloak's `realm_access.roles`. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}
