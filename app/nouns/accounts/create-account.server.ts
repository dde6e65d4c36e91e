import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { authFailure } from "./auth-failure.server";
import type { Registration, roles } from "./contract";
import { requireFreeUsername } from "./require-free-username.server";

export interface NewAccount extends Registration {
  role?: (typeof roles)[number];
  is_demo?: boolean;
}

/** Creates an account for the operator (admin command, first start): no confirmation, optional role and demo flag. */
export async function createAccount(
  database: Database,
  account: NewAccount,
): Promise<{ id: string }> {
  await requireFreeUsername(database, account.username);
  const { data, error } = await database.secretClient.auth.admin.createUser({
    email: account.email,
    password: account.password,
    email_confirm: true,
    user_metadata: { username: account.username },
  });
  if (error) throw authFailure(error);
  return callService(
    database,
    "configure_account",
    {
      p_user_id: data.user.id,
      p_role: account.role ?? null,
      p_is_demo: account.is_demo ?? null,
    },
    z.object({ id: z.uuid() }),
  );
}
