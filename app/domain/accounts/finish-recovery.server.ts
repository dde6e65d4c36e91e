import { ContractError } from "~/contract/errors";
import type { Database, SupabaseConnection } from "~/db/database.server";
import { notePasswordChange } from "./note-password-change.server";
import { setPassword } from "./set-password.server";

/** Stores the new password of whoever holds the code from the message and the cookie of the browser that asked. */
export async function finishRecovery(
  database: Database,
  client: SupabaseConnection,
  recovery: { code: string; password: string; address: string },
): Promise<void> {
  const { data, error } = await client.auth.exchangeCodeForSession(recovery.code);
  if (error || !data.user) {
    const message =
      "This link is no longer good, or was asked for in another browser. Ask for a new one.";
    throw new ContractError(422, message);
  }
  await setPassword(database, data.user.id, recovery.password);
  await notePasswordChange(database, { userId: data.user.id, address: recovery.address });
}
