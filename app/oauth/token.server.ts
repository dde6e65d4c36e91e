import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { addressLimitKey } from "~/http/client-address.server";
import type { OpenCall } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { seal, unseal } from "~/nouns/identities/seal.server";
import { redeemOauthCode, refreshOauthToken, revokeOauthToken } from "~/nouns/oauth/operations.server";
import type { Audience } from "~/wire/oauth/contract";
import { readScopes } from "./authorization-request.server";
import { clientIdOf, type Parameters, readParameters } from "./form-parameters.server";
import { audienceOf } from "./metadata.server";
import { OAuthRefusal } from "./refusal.server";

type Call = Pick<OpenCall<unknown, unknown>, "request" | "context">;

/** Prefixes that make tokens recognizable to people and secret scanners. */
const prefixes = { access: "blo_", refresh: "blr_" } as const;

const sentences = {
  invalid_client: "This client is not registered here any more. Register it again.",
  invalid_grant:
    "The code or token is unknown, used, expired or revoked, or was given to someone else. Ask the person again.",
  invalid_target: "resource is not the one that the person agreed to.",
  invalid_scope: "The person did not agree to this scope.",
} as const;

/** `POST /token`: exchanges a code or a refresh token for a new access token and refresh token. */
export async function answerTokenRequest({ request, context }: Call): Promise<Response> {
  const { database, env } = context.services;
  const parameters = await readParameters(request, context);
  const grantType = parameters.require("grant_type");
  const asking = {
    client_id: clientIdOf(request, parameters),
    audience: readAudience(parameters, env.origins),
    address_key: addressLimitKey(context.clientAddress),
  };
  const offered = { access: secret(prefixes.access), refresh: secret(prefixes.refresh) };
  const { access, refresh } = offered;
  const answer = await exchange(grantType);
  if ("refused" in answer) throw new OAuthRefusal(answer.refused, sentences[answer.refused]);
  const given = answer.next_tokens
    ? await openTokens(answer.next_tokens, parameters.require("refresh_token"))
    : offered;
  const body = {
    access_token: given.access,
    token_type: "Bearer",
    expires_in: answer.expires_in,
    refresh_token: given.refresh,
    scope: answer.scope,
  };
  return json(body, { headers: { pragma: "no-cache" } });

  async function exchange(type: string) {
    if (type === "authorization_code") {
      return redeemOauthCode(database, {
        ...asking,
        code_hash: sha256(parameters.require("code")),
        redirect_uri: parameters.require("redirect_uri"),
        challenge: sha256(readVerifier(parameters)),
        token_hash: sha256(access),
        refresh_hash: sha256(refresh),
        prefix: access.slice(0, prefixes.access.length + 4),
      });
    }
    if (type === "refresh_token") {
      const spent = parameters.require("refresh_token");
      return refreshOauthToken(database, {
        ...asking,
        refresh_hash: sha256(spent),
        scopes: [...(parameters.find("scope") ? readScopes(parameters.find("scope"), "/mcp") : [])],
        token_hash: sha256(access),
        new_refresh_hash: sha256(refresh),
        next_tokens: await seal("next tokens", JSON.stringify(offered), [spent]),
      });
    }
    throw new OAuthRefusal("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  }
}

const tokensSchema = z.object({ access: z.string(), refresh: z.string() });

/** Opens the tokens of an earlier answer, which only the refresh token that brought them can. */
async function openTokens(sealed: string, spent: string) {
  return tokensSchema.parse(JSON.parse((await unseal("next tokens", sealed, [spent])) ?? "null"));
}

/** `POST /revoke`: revokes a program's access. Succeeds for unknown tokens too. */
export async function answerRevocation({ request, context }: Call): Promise<Response> {
  const parameters = await readParameters(request, context);
  await revokeOauthToken(context.services.database, {
    token_hash: sha256(parameters.require("token")),
    client_id: parameters.find("client_id") ?? null,
    address_key: addressLimitKey(context.clientAddress),
  });
  return json({});
}

function readVerifier(parameters: Parameters): string {
  const verifier = parameters.require("code_verifier");
  if (/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return verifier;
  throw new OAuthRefusal("invalid_grant", "code_verifier must have 43 to 128 plain characters.");
}

/** Returns the audience of `resource`, or null if it is absent: then the audience the person agreed to applies. */
function readAudience(parameters: Parameters, origins: readonly string[]): Audience | null {
  const resource = parameters.find("resource");
  if (resource === undefined) return null;
  const audience = audienceOf(origins, resource);
  if (audience) return audience;
  throw new OAuthRefusal("invalid_target", sentences.invalid_target);
}

/** A token of 256 random bits. Only its SHA-256 is stored. */
const secret = (prefix: string): string => `${prefix}${randomBytes(32).toString("base64url")}`;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
