import { z } from "zod";
import { type ApiToken, apiTokenSchema } from "~/contract/api-token";
import { type Actor, callAs } from "~/db/rpc.server";

/** The user's API tokens, without the tokens themselves. */
export function listApiTokens(actor: Actor): Promise<ApiToken[]> {
  return callAs(actor, "list_api_tokens", {}, z.array(apiTokenSchema));
}
