import { createHash, randomBytes } from "node:crypto";
import type { AppLoadContext } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { isCanonicalUuid } from "~/http/uuid";
import type { Principal } from "~/nouns/accounts/contract";
import type { Scope } from "~/nouns/oauth/contract";
import { createOauthCode } from "~/nouns/oauth/operations.server";
import { type AuthorizationRequest, answerClient } from "./authorization-request.server";

/** What a person chose on the consent page. */
export interface Choice {
  scopes: readonly string[];
  productIds: readonly string[];
}

/** Scopes the person may choose from: those requested, but only `read` for demo accounts. */
export function offeredScopes(asked: AuthorizationRequest, principal: Principal): Scope[] {
  return asked.scopes.filter((scope) => scope === "read" || !principal.is_demo);
}

/** Stores what the person allowed and redirects back to the program with a code. */
export async function giveAccess(
  context: AppLoadContext,
  principal: Principal,
  asked: AuthorizationRequest,
  choice: Choice,
): Promise<Response> {
  const { client, redirectUri, challenge, audience } = asked;
  if (principal.session_id === null || !choice.productIds.every(isCanonicalUuid)) {
    throw new ContractError(422, "Reload the page and choose again.");
  }
  const offered = offeredScopes(asked, principal);
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
  return answerClient(context, asked, { code });
}
