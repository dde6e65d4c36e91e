import { z } from "zod";
import { apiTokenIdInput, apiTokenSchema } from "~/contract/api-token";
import { noInput, operation } from "../operation.server";

/** The user's API tokens, without the tokens themselves. */
export const listApiTokens = operation("list_api_tokens", noInput, z.array(apiTokenSchema));

/** Revokes an API token of the user at once. */
export const revokeApiToken = operation(
  "revoke_api_token",
  apiTokenIdInput,
  z.object({ id: z.uuid() }),
);
