import { z } from "zod";
import { noInput, operation } from "~/nouns/operation.server";
import { apiTokenIdInput, apiTokenSchema } from "./contract";

/** The user's API tokens, without the tokens themselves. */
export const listApiTokens = operation("list_api_tokens", noInput, z.array(apiTokenSchema));

/** Revokes an API token of the user at once. */
export const revokeApiToken = operation(
  "revoke_api_token",
  apiTokenIdInput,
  z.object({ id: z.uuid() }),
);
