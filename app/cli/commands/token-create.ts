import { z } from "zod";
import { newApiTokenSchema } from "~/contract/api-token";
import { resolveAccount } from "~/domain/accounts/operations.server";
import { issueApiToken } from "~/domain/api-tokens/issue-api-token.server";
import { defineCommand } from "../command";

/** `token create`: the token is shown this once, only its hash is kept. */
export const tokenCreate = defineCommand({
  name: "token create",
  summary: "Make an API token for a user; it is shown once",
  options: z.object({
    user: z.string(),
    label: newApiTokenSchema.shape.label.default("admin command line"),
    "expires-days": newApiTokenSchema.shape.expires_days,
  }),
  run: async (target, { user, label, "expires-days": days }) => {
    const database = await target.database();
    const account = await resolveAccount(database, { identifier: user });
    const { id, token } = await issueApiToken(database, account.id, { label, expires_days: days });
    return { json: { id, token }, lines: [token] };
  },
});
