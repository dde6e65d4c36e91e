import { randomBytes } from "node:crypto";
import type { Database } from "~/db/database.server";
import { authFailure } from "./auth-failure.server";
import type { LoginIdentity } from "./find-login-identity.server";

/**
 * Whether Supabase Auth accepts the password; the user's id if so. An unknown account costs the same work, with a
 * password that cannot be right for the decoy, so that neither answer nor time tells which accounts exist.
 */
export async function checkPassword(
  database: Database,
  identity: LoginIdentity,
  password: string,
): Promise<string | null> {
  const client = database.publicClient();
  const { data, error } = await client.auth.signInWithPassword({
    email: identity.email,
    password: identity.user_id === null ? randomBytes(24).toString("base64url") : password,
  });
  if (!error) {
    // The app keeps sessions of its own: what Auth opened for this check is not needed.
    await client.auth.signOut({ scope: "local" });
    return data.user.id === identity.user_id ? data.user.id : null;
  }
  const isRefusal = error.status !== undefined && error.status >= 400 && error.status < 500;
  if (isRefusal && error.status !== 429) return null;
  throw authFailure(error);
}
