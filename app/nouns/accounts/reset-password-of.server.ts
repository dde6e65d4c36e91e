import type { Database } from "~/db/database.server";
import { notePasswordChange } from "./note-password-change.server";
import { setPassword } from "./set-password.server";

interface PasswordReset {
  userId: string;
  password: string;
  /** The administrator; null for the command line. */
  actorId: string | null;
}

/** Sets a temporary password: all sessions end, and the next sign-in asks for a new one. */
export async function resetPasswordOf(
  database: Database,
  { userId, password, actorId }: PasswordReset,
): Promise<void> {
  await setPassword(database, userId, password);
  await notePasswordChange(database, { userId, mustReset: true, actorId });
}
