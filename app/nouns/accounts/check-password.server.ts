import { randomBytes } from "node:crypto";
import type { AuthError } from "@supabase/supabase-js";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { authFailure } from "./auth-failure.server";
import type { LoginIdentity } from "./operations.server";

/**
 * Returns the user's id if Supabase Auth accepts the password, otherwise null. An unknown account takes the same work,
 * with a decoy's address and a random password, so that neither answer nor time reveals which accounts exist.
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
    // The app has its own sessions; the one Auth opened for this check is not needed.
    await client.auth.signOut({ scope: "local" });
    if (data.user.factors?.some(({ status }) => status === "verified")) throw factorMissing();
    return data.user.id === identity.user_id ? data.user.id : null;
  }
  if (isWrongPassword(error)) return null;
  throw authFailure(error);
}

/** Auth accepts the password alone and leaves it to the app to ask for the second factor. */
function factorMissing(): ContractError {
  return new ContractError(
    403,
    "This account has a second factor in Supabase Auth, which this form cannot ask for. Sign in with your company's account, or ask the administrator to remove the factor.",
  );
}

/**
 * Auth reports a locked account before it checks the password, so that counts as wrong too. Older versions of Auth send
 * a 400 without a code. All other errors concern the project or the account, and are shown.
 */
function isWrongPassword({ code, status }: AuthError): boolean {
  if (code === undefined) return status === 400;
  return code === "invalid_credentials" || code === "user_banned";
}
