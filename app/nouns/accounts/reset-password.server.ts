import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { findLoginIdentity } from "./operations.server";
import { resetPasswordOf } from "./reset-password-of.server";

interface NamedReset {
  /** Username or email address. */
  identifier: string;
  password: string;
}

/** Resets a password by name instead of id, for the operator. */
export async function resetPassword(
  database: Database,
  { identifier, password }: NamedReset,
): Promise<{ id: string }> {
  const { user_id: userId } = await findLoginIdentity(database, { identifier });
  if (userId === null)
    throw new ContractError(404, "No such user. Check the ID: the account may have been deleted.");
  await resetPasswordOf(database, { userId, password, actorId: null });
  return { id: userId };
}
