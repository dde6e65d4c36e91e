import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callAs, callService } from "~/db/rpc.server";
import { noInput, operation } from "~/nouns/operation.server";
import * as wire from "~/wire/api-tokens/contract";

/** The user's API tokens, without the tokens themselves. */
export const listApiTokens = operation("list_api_tokens", noInput, z.array(wire.apiTokenSchema));

/** Revokes an API token of the user at once. */
export const revokeApiToken = operation("revoke_api_token", wire.apiTokenIdInput, z.object({ id: z.uuid() }));

type CreatedApiToken = wire.ApiToken & {
  /** The token itself: shown once, never stored. */
  token: string;
};

/** A token of 32 random bytes, and what is stored of it: its beginning and its SHA-256 (specification: Authentication 1). */
function newToken() {
  const token = `${wire.apiTokenPrefix}${randomBytes(32).toString("base64url")}`;
  return {
    token,
    p_prefix: token.slice(0, wire.apiTokenPrefix.length + 4),
    p_token_hash: createHash("sha256").update(token).digest("hex"),
  };
}

/** Creates an API token of the user. */
export async function createApiToken(actor: Actor, input: wire.NewApiToken): Promise<CreatedApiToken> {
  const { token, ...stored } = newToken();
  const p_scopes = input.scope?.length ? input.scope : null;
  const p_product_ids = input.product?.length ? [...new Set(input.product)] : null;
  const given = {
    ...stored,
    p_label: input.label,
    p_expires_days: input.expires_days ?? null,
    p_scopes,
    p_product_ids,
  };
  return { ...(await callAs(actor, "create_api_token", given, wire.apiTokenSchema)), token };
}

/** Creates an API token for any account, demo accounts included, for the operator. */
export async function issueApiToken(
  database: Database,
  userId: string,
  input: wire.NewApiToken,
): Promise<{ id: string; token: string }> {
  const { token, ...stored } = newToken();
  const given = { ...stored, p_user_id: userId, p_label: input.label, p_expires_days: input.expires_days ?? null };
  const { id } = await callService(database, "issue_api_token", given, z.object({ id: z.uuid() }));
  return { id, token };
}
