import type { Login } from "~/contract/account";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { checkPassword } from "./check-password.server";
import { createSession, type NewSession, type SigningInBrowser } from "./create-session.server";
import { findLoginIdentity } from "./find-login-identity.server";
import { takeLimit } from "./take-limit.server";

/** Signs in with user name or e-mail address (form `POST /login`). Each try counts for the account as well. */
export async function logIn(
  database: Database,
  login: Login,
  browser: SigningInBrowser,
): Promise<NewSession> {
  await takeLimit(database, "login", `account:${login.identifier.toLowerCase()}`);
  const identity = await findLoginIdentity(database, login.identifier);
  const userId = await checkPassword(database, identity, login.password, browser.address);
  if (userId === null) {
    throw new ContractError(401, "User name or password is wrong. Check both and try again.");
  }
  return createSession(database, userId, browser);
}
