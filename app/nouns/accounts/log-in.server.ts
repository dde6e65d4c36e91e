import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { checkPassword } from "./check-password.server";
import type { Login } from "./contract";
import { createSession, type NewSession, type SigningInBrowser } from "./create-session.server";
import { findLoginIdentity } from "./operations.server";
import { giveBackLimit, isWithinLimit, takeLimit } from "./take-limit.server";

/**
 * Signs in with username or email address (form `POST /login`). Counts each try before checking the password, so that
 * parallel guesses all count, and uncounts it if it was right: only failures add up. If the account's limit was used up
 * under its other name, every password is treated as wrong: a refusal would reveal that both names belong together.
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
  const { limit_key, account_key } = identity;
  await takeLimit(database, "login", limit_key);
  const isTried = account_key === null || (await isWithinLimit(database, "login", account_key));
  const tried = isTried ? identity : { ...identity, user_id: null };
  const userId = await checkPassword(database, tried, password, browser.address);
  if (userId === null) {
    throw new ContractError(
      401,
      "Username or password is wrong. Check both and try again. After many failed attempts, wait a minute first.",
    );
  }
  await giveBackLimit(database, "login", limit_key);
  if (account_key !== null) await giveBackLimit(database, "login", account_key);
  return createSession(database, userId, browser);
}
