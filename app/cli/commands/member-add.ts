import { z } from "zod";
import { resolveAccount } from "~/domain/accounts/operations.server";
import { enrolMember, resolveProduct } from "~/domain/transfers/operations.server";
import { defineCommand } from "../command";

/** `member add`: gives an account access to a product. */
export const memberAdd = defineCommand({
  name: "member add",
  summary: "Make a user a member of a product",
  options: z.object({ product: z.string(), user: z.string() }),
  run: async (target, { product: reference, user }) => {
    const database = await target.database();
    const product = await resolveProduct(database, { reference });
    const account = await resolveAccount(database, { identifier: user });
    await enrolMember(database, { product_id: product.id, user_id: account.id });
    return {
      json: { id: account.id, product_id: product.id, user_id: account.id },
      lines: [`${account.username} is a member of ${product.code}`],
    };
  },
});
