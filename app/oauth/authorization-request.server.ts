import { createHash, randomBytes } from "node:crypto";
import { type AppLoadContext, redirect } from "@remix-run/node";
import { requireActor, type SignedIn } from "~/http/page-guards.server";
import { createOauthCode } from "~/nouns/oauth/operations.server";
import type { Principal } from "~/wire/accounts/contract";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { type Audience, type Scope, scopeSchema } from "~/wire/oauth/contract";
import {
  findRegistered,
  isDocumentAddress,
  isNamedRedirect,
  type OAuthClient,
  readDocumentClient,
} from "./client.server";
import { Parameters } from "./form-parameters.server";
import { audienceOf, scopesOf } from "./metadata.server";
import { type OAuthCode, OAuthRefusal } from "./refusal.server";

/** A program's authorization request, after every check that does not need the person's consent. */
interface AuthorizationRequest {
  client: OAuthClient;
  redirectUri: string;
  state: string | undefined;
  /** The SHA-256 that the verifier must have, as hex. */
  challenge: string;
  audience: Audience;
  scopes: readonly Scope[];
}

/**
 * Never redirects before the person is signed in and the address is verified to be the program's: until then errors
 * are on our page (`OAuthRefusal`), afterwards they go to the program (a thrown response).
 */
export async function readAuthorizationRequest(
  request: Request,
  context: AppLoadContext,
): Promise<SignedIn & { requested: AuthorizationRequest }> {
  const parameters = new Parameters(new URL(request.url).searchParams);
  const clientId = parameters.require("client_id");
  const { database, env } = context.services;
  const registered = isDocumentAddress(clientId) ? null : await findRegistered(database, clientId);
  const signedIn = await requireActor(request, context);
  const client =
    registered ??
    (await readDocumentClient(clientId, {
      database,
      userId: signedIn.principal.user_id,
      allowPrivate: env.allowPrivateDestinations,
    }));
  const redirectUri = parameters.require("redirect_uri");
  if (!isNamedRedirect(client.redirectUris, redirectUri)) {
    throw new OAuthRefusal(
      "invalid_request",
      `${client.name} did not name ${redirectUri.slice(0, 200)} as an address to return to. Remove the connection in the app and add it again.`,
    );
  }
  const state = parameters.find("state");
  try {
    const wanted = readWanted(parameters, env.origins);
    return { ...signedIn, requested: { client, redirectUri, state, ...wanted } };
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    throw answerClient(context, { redirectUri, state }, refusalOf(error.code, error.message));
  }
}

function readWanted(
  parameters: Parameters,
  origins: readonly string[],
): Pick<AuthorizationRequest, "challenge" | "audience" | "scopes"> {
  if (parameters.find("response_type") !== "code") {
    throw new OAuthRefusal("unsupported_response_type", "response_type must be code.");
  }
  const challenge = parameters.find("code_challenge") ?? "";
  const method = parameters.find("code_challenge_method");
  if (method !== "S256" || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthRefusal(
      "invalid_request",
      "Send a code_challenge of 43 characters with code_challenge_method S256.",
    );
  }
  const audience = audienceOf(origins, parameters.find("resource") ?? `${origins[0]}/mcp`);
  if (!audience) {
    throw new OAuthRefusal("invalid_target", "resource must be the address of /mcp, /mcp/all or /mcp/worker.");
  }
  return {
    challenge: Buffer.from(challenge, "base64url").toString("hex"),
    audience,
    scopes: readScopes(parameters.find("scope"), audience),
  };
}

/** Parses scopes; none means all. Ignores `offline_access`, because refresh tokens are always issued. */
export function readScopes(given: string | undefined, audience: Audience): readonly Scope[] {
  const names = (given ?? "").split(" ").filter((name) => name !== "" && name !== "offline_access");
  if (names.length === 0) return scopesOf(audience);
  return [...new Set(names)].map((name) => {
    const scope = scopeSchema.safeParse(name);
    if (scope.success) return scope.data;
    throw new OAuthRefusal("invalid_scope", "Scopes are read, plan and work.");
  });
}

/** Redirects back to the program with a code or an error, and with the issuer (RFC 9207). */
export function answerClient(
  context: AppLoadContext,
  { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
  answer: Readonly<Record<string, string>>,
): Response {
  const address = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value);
  if (state !== undefined) address.searchParams.set("state", state);
  address.searchParams.set("iss", context.origin);
  return redirect(address.href, 303);
}

export function refusalOf(code: OAuthCode, description: string): Record<string, string> {
  return { error: code, error_description: description };
}

/** What a person chose on the consent page. */
type Choice = { scopes: readonly string[]; productIds: readonly string[] };

/** Scopes the person may choose from: those requested, but only `read` for demo accounts. */
export function offeredScopes(requested: AuthorizationRequest, principal: Principal): Scope[] {
  return requested.scopes.filter((scope) => scope === "read" || !principal.is_demo);
}

/** Stores what the person allowed and redirects back to the program with a code. */
export async function giveAccess(
  context: AppLoadContext,
  principal: Principal,
  requested: AuthorizationRequest,
  choice: Choice,
): Promise<Response> {
  const { client, redirectUri, challenge, audience } = requested;
  if (principal.session_id === null || !choice.productIds.every(isCanonicalUuid)) {
    throw new ContractError(422, "Reload the page and choose again.");
  }
  const offered = offeredScopes(requested, principal);
  const code = `blc_${randomBytes(32).toString("base64url")}`;
  await createOauthCode(context.services.database, {
    user_id: principal.user_id,
    session_id: principal.session_id,
    client_id: client.id,
    client_name: client.name,
    redirect_uri: redirectUri,
    challenge,
    code_hash: createHash("sha256").update(code).digest("hex"),
    audience,
    scopes: offered.filter((scope) => choice.scopes.includes(scope)),
    product_ids: [...new Set(choice.productIds)],
  });
  return answerClient(context, requested, { code });
}
