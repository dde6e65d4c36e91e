import { z } from "zod";
import { emailSchema, roles, usernameSchema } from "~/contract/account";
import { createAccount } from "~/domain/accounts/create-account.server";
import { defineCommand } from "../command";
import { givenPassword } from "../given-password";

/** `user create`: the only way to an administrator on a hosted project. */
export const userCreate = defineCommand({
  name: "user create",
  summary:
    "Create an account (--password - reads standard input); --demo can look and not change, --role ADMIN administers",
  flags: ["demo"],
  options: z.object({
    username: usernameSchema,
    email: emailSchema,
    password: z.string(),
    role: z.enum(roles).optional(),
    demo: z.boolean().optional(),
  }),
  run: async (target, { demo, ...account }) => {
    const password = await givenPassword(target, account.password);
    const { id } = await createAccount(await target.database(), {
      ...account,
      password,
      is_demo: demo ?? false,
    });
    return {
      json: { id },
      lines: [`Created ${account.username} (${account.role ?? "DEVELOPER"}): ${id}`],
    };
  },
});
