import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { findLoginIdentity } from "./find-login-identity.server";
import { notePasswordChange } from "./note-password-change.server";
import { setPassword } from "./set-password.server";

interface PasswordReset {
  /** User name or e-mail address. */
  identifier: string;
  password: string;
  actorId?: string | null;
}

/** A temporary password given by the operator: all sessions end, and the next sign-in asks for a new one. */
export async function resetPassword(
  database: Database,
  { identifier, password, actorId }: PasswordReset,
): Promise<{ id: string }> {
  const { user_id: userId } = await findLoginIdentity(database, identifier);
  if (userId === null) throw new ContractError(404, "No such user.");
  await setPassword(database, userId, password);
  await notePasswordChange(database, { userId, mustReset: true, actorId: actorId ?? null });
  return { id: userId };
}
