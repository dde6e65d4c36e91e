import { createHash, randomBytes } from "node:crypto";
import { type Actor, callAs } from "~/db/rpc.server";
import { type ApiToken, apiTokenPrefix, apiTokenSchema, type NewApiToken } from "./contract";

export type CreatedApiToken = ApiToken & {
  /** The token itself: shown once, never stored. */
  token: string;
};

/** Creates an API token of the user (specification: Authentication 1): 32 random bytes, stored as SHA-256. */
export async function createApiToken(actor: Actor, input: NewApiToken): Promise<CreatedApiToken> {
  const token = `${apiTokenPrefix}${randomBytes(32).toString("base64url")}`;
  const created = await callAs(
    actor,
    "create_api_token",
    {
      p_label: input.label,
      p_prefix: token.slice(0, apiTokenPrefix.length + 4),
      p_token_hash: createHash("sha256").update(token).digest("hex"),
      p_expires_days: input.expires_days ?? null,
      p_scopes: input.scope?.length ? input.scope : null,
      p_product_ids: input.product?.length ? [...new Set(input.product)] : null,
    },
    apiTokenSchema,
  );
  return { ...created, token };
}
