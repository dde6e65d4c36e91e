import type { Login } from "~/contract/account";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { checkPassword } from "./check-password.server";
import { createSession, type NewSession, type SigningInBrowser } from "./create-session.server";
import { findLoginIdentity } from "./operations.server";
import { giveBackLimit, takeLimit } from "./take-limit.server";

/**
 * Signs in with user name or e-mail address (form `POST /login`). A try counts before the password is looked at, so that
 * guesses at once are all counted, and one that was right is taken back: only failures add up.
 */
export async function logIn(
  database: Database,
  { identifier, password }: Login,
  browser: SigningInBrowser,
): Promise<NewSession> {
  const identity = await findLoginIdentity(database, {
    identifier,
    session_id: browser.previousSessionId,
  });
  await takeLimit(database, "login", identity.limit_key);
  const userId = await checkPassword(database, identity, password, browser.address);
  if (userId === null) {
    throw new ContractError(401, "User name or password is wrong. Check both and try again.");
  }
  await giveBackLimit(database, "login", identity.limit_key);
  return createSession(database, userId, browser);
}
