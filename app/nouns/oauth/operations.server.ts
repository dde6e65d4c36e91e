import { z } from "zod";
import { noInput, operation, serviceOperation } from "~/nouns/operation.server";
import { grantSchema } from "~/wire/oauth/contract";

/** Programs and tokens with access to the user's account. */
export const listGrants = operation("list_grants", noInput, z.array(grantSchema));

export const registerOauthClient = serviceOperation(
  "register_oauth_client",
  z.object({ client_id: z.string(), name: z.string(), redirect_uris: z.array(z.string()), address_key: z.string() }),
  z.object({ client_id: z.string(), issued_at: z.number().int() }),
);

/** Null for an id that is unknown, or was removed because it was unused. */
export const getOauthClient = serviceOperation(
  "get_oauth_client",
  z.object({ client_id: z.string() }),
  z.object({ client_id: z.string(), name: z.string(), redirect_uris: z.array(z.string()) }).nullable(),
);

/** Stores what a person allowed, under the hash of a code. */
export const createOauthCode = serviceOperation(
  "create_oauth_code",
  z.object({
    user_id: z.string(),
    session_id: z.string(),
    client_id: z.string(),
    client_name: z.string(),
    redirect_uri: z.string(),
    challenge: z.string(),
    code_hash: z.string(),
    audience: z.string(),
    scopes: z.array(z.string()),
    product_ids: z.array(z.string()),
  }),
  z.object({ scopes: z.array(z.string()) }),
);

/** Refusals are answers, not errors: an error would roll back what they revoke. */
const tokenAnswer = z.union([
  z.object({ refused: z.enum(["invalid_client", "invalid_grant", "invalid_target", "invalid_scope"]) }),
  z.object({
    expires_in: z.number().int(),
    scope: z.string(),
    /** Sealed tokens of an earlier answer, which replace the offered ones. */
    next_tokens: z.string().optional(),
  }),
]);

export const redeemOauthCode = serviceOperation(
  "redeem_oauth_code",
  z.object({
    code_hash: z.string(),
    client_id: z.string(),
    redirect_uri: z.string(),
    challenge: z.string(),
    audience: z.string().nullable(),
    token_hash: z.string(),
    refresh_hash: z.string(),
    prefix: z.string(),
    address_key: z.string(),
  }),
  tokenAnswer,
);

export const refreshOauthToken = serviceOperation(
  "refresh_oauth_token",
  z.object({
    refresh_hash: z.string(),
    client_id: z.string(),
    audience: z.string().nullable(),
    scopes: z.array(z.string()),
    token_hash: z.string(),
    new_refresh_hash: z.string(),
    /** The new tokens, sealed with the old refresh token: given again to the same client for a short time. */
    next_tokens: z.string(),
    address_key: z.string(),
  }),
  tokenAnswer,
);

export const revokeOauthToken = serviceOperation(
  "revoke_oauth_token",
  z.object({ token_hash: z.string(), client_id: z.string().nullable(), address_key: z.string() }),
  z.object({ ok: z.literal(true) }),
);
