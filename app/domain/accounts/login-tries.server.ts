import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import type { LoginIdentity } from "./operations.server";
import { giveBackLimit, takeLimit } from "./take-limit.server";

/**
 * Counts a try before the password is looked at, so that guesses at once are all counted: 429 beyond the limit of the
 * name as it was written. Name and address of one account also share a count, but whoever is beyond only that one is
 * answered as if the password were wrong: a 429 would tell that the two belong together.
 */
export async function takeLoginTry(
  database: Database,
  identifier: string,
  identity: LoginIdentity,
): Promise<LoginIdentity> {
  await takeLimit(database, "login", toldKey(identifier, identity));
  if (identity.is_known_browser) return identity;
  try {
    await takeLimit(database, "login", identity.limit_key);
    return identity;
  } catch (error) {
    if (error instanceof ContractError && error.status === 429) {
      return { ...identity, user_id: null };
    }
    throw error;
  }
}

/** Takes a try back that was right: only failures add up. */
export async function giveBackLoginTry(
  database: Database,
  identifier: string,
  identity: LoginIdentity,
): Promise<void> {
  for (const key of new Set([toldKey(identifier, identity), identity.limit_key])) {
    await giveBackLimit(database, "login", key);
  }
}

/** Strangers who guess cannot use up the tries of a browser that was signed in to the account. */
function toldKey(identifier: string, identity: LoginIdentity): string {
  return identity.is_known_browser ? identity.limit_key : `name:${identifier.toLowerCase()}`;
}
