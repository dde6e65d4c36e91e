import { randomBytes } from "node:crypto";
import type { AuthError } from "@supabase/supabase-js";
import type { Database } from "~/db/database.server";
import { authFailure } from "./auth-failure.server";
import type { LoginIdentity } from "./operations.server";

/**
 * Whether Supabase Auth accepts the password; the user's id if so. An unknown account costs the same work, with a
 * password that cannot be right for the decoy, so that neither answer nor time tells which accounts exist.
 */
export async function checkPassword(
  database: Database,
  identity: Pick<LoginIdentity, "user_id" | "email">,
  password: string,
  address: string,
): Promise<string | null> {
  const client = database.signInClient(address);
  const { data, error } = await client.auth.signInWithPassword({
    email: identity.email,
    password: identity.user_id === null ? randomBytes(24).toString("base64url") : password,
  });
  if (!error) {
    // The app keeps sessions of its own: what Auth opened for this check is not needed.
    await client.auth.signOut({ scope: "local" });
    return data.user.id === identity.user_id ? data.user.id : null;
  }
  if (isWrongPassword(error)) return null;
  throw authFailure(error);
}

/**
 * A locked account is told before the password is looked at, so it counts as wrong too; older versions of Auth send no
 * code with their 400. Everything else is about the project or the account, and is said as it is.
 */
function isWrongPassword({ code, status }: AuthError): boolean {
  if (code === undefined) return status === 400;
  return code === "invalid_credentials" || code === "user_banned";
}
