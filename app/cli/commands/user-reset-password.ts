import { z } from "zod";
import { resolveAccount } from "~/domain/accounts/operations.server";
import { resetPassword } from "~/domain/accounts/reset-password.server";
import { defineCommand } from "../command";
import { CommandError } from "../command-error";
import { givenPassword } from "../given-password";
import { randomPassword } from "../secret-words";

/** `user reset-password`: ends every session of the account; a generated password is shown once. */
export const userResetPassword = defineCommand({
  name: "user reset-password",
  summary:
    "Set a new password (generated when none is given, read from standard input with -) and sign the account out everywhere",
  options: z.object({
    username: z.string().optional(),
    email: z.string().optional(),
    password: z.string().optional(),
  }),
  run: async (target, { username, email, password }) => {
    const identifier = username ?? email;
    if (identifier === undefined) throw new CommandError("Name the account: --username or --email");
    const chosen =
      password === undefined ? randomPassword() : await givenPassword(target, password);
    const database = await target.database();
    const account = await resolveAccount(database, { identifier });
    await resetPassword(database, { identifier: account.username, password: chosen });
    const json = { id: account.id, ...(password === undefined ? { password: chosen } : {}) };
    const shown = password === undefined ? ` The new password is ${chosen}` : "";
    return { json, lines: [`${account.username} was signed out everywhere.${shown}`] };
  },
});
