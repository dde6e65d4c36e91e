import type { Database } from "~/db/database.server";
import { authFailure } from "./auth-failure.server";

/** Sets a password through Supabase Auth, which alone hashes passwords. */
export async function setPassword(
  database: Database,
  userId: string,
  password: string,
): Promise<void> {
  const { error } = await database.secretClient.auth.admin.updateUserById(userId, { password });
  if (error) throw authFailure(error);
}
