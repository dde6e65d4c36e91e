import { z } from "zod";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { resolveAccount } from "~/nouns/accounts/operations.server";
import { resetPassword } from "~/nouns/accounts/passwords.server";
import { randomPassword } from "~/nouns/accounts/random-password";
import { issueApiToken } from "~/nouns/api-tokens/operations.server";
import { emailSchema, passwordSchema, roles, usernameSchema } from "~/wire/accounts/contract";
import { newApiTokenSchema } from "~/wire/api-tokens/contract";
import { CommandError, defineCommand, UsageError } from "../command";
import type { Target } from "../target.server";

/** `user create`: the only way to create an administrator on a hosted project. */
export const userCreate = defineCommand({
  name: "user create",
  summary: "Create an account; --password - reads standard input, --demo makes it read-only",
  options: z.object({
    username: usernameSchema,
    email: emailSchema,
    password: z.string(),
    role: z.enum(roles).optional(),
    demo: z.boolean().optional(),
  }),
  run: async (target, { demo, ...account }) => {
    const password = await givenPassword(target, account.password);
    const { id } = await createAccount(await target.database(), { ...account, password, is_demo: demo ?? false });
    return { json: { id }, lines: [`Created ${account.username} (${account.role ?? "DEVELOPER"}): ${id}`] };
  },
});

/** `user reset-password`: also ends every session of the account. A generated password is shown once. */
export const userResetPassword = defineCommand({
  name: "user reset-password",
  summary: "Set a new password (default: generated; - reads standard input) and end all sessions",
  options: z.object({ username: z.string().optional(), email: z.string().optional(), password: z.string().optional() }),
  run: async (target, { username, email, password }) => {
    const identifier = username ?? email;
    if (identifier === undefined) throw new CommandError("Name the account: --username or --email");
    const chosen = password === undefined ? randomPassword() : await givenPassword(target, password);
    const database = await target.database();
    const account = await resolveAccount(database, { identifier });
    await resetPassword(database, { identifier: account.username, password: chosen });
    const json = { id: account.id, ...(password === undefined ? { password: chosen } : {}) };
    const shown = password === undefined ? ` The new password is ${chosen}` : "";
    return { json, lines: [`${account.username} was signed out everywhere.${shown}`] };
  },
});

/** `token create`: the token is shown once; only its hash is stored. */
export const tokenCreate = defineCommand({
  name: "token create",
  summary: "Create an API token for a user and show it once",
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

/** Returns the password of `--password`, or with `-` the first line of standard input. */
async function givenPassword(target: Target, password: string): Promise<string> {
  const given = password === "-" ? await target.inputLine() : password;
  const parsed = passwordSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map(({ message }) => `--password: ${message}`).join("\n"));
}
