import type { Login } from "~/contract/account";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { checkPassword } from "./check-password.server";
import { createSession, type NewSession, type SigningInBrowser } from "./create-session.server";
import { giveBackLoginTry, takeLoginTry } from "./login-tries.server";
import { findLoginIdentity } from "./operations.server";

/** Signs in with user name or e-mail address (form `POST /login`). Failures count for the account as well. */
export async function logIn(
  database: Database,
  { identifier, password }: Login,
  browser: SigningInBrowser,
): Promise<NewSession> {
  const identity = await findLoginIdentity(database, {
    identifier,
    session_id: browser.previousSessionId,
  });
  const judged = await takeLoginTry(database, identifier, identity);
  const userId = await checkPassword(database, judged, password, browser.address);
  if (userId === null) {
    throw new ContractError(401, "User name or password is wrong. Check both and try again.");
  }
  await giveBackLoginTry(database, identifier, identity);
  return createSession(database, userId, browser);
}
