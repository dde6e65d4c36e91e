import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { joinProduct } from "~/nouns/products/invitations.server";
import { type Login, themes } from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";
import { findLoginIdentity, giveBackLimit, isWithinLimit, takeLimit, uncountIfAway } from "./operations.server";
import { checkPassword } from "./passwords.server";

/**
 * Counts each try before the password is checked, so that parallel guesses count, and uncounts a right one. If the
 * limit was used up under the account's other name, all are wrong: a refusal would reveal that both belong together.
 */
export async function logIn(
  database: Database,
  { identifier, password }: Login,
  browser: SigningInBrowser,
): Promise<NewSession> {
  const identity = await findLoginIdentity(database, { identifier, session_id: browser.previousSessionId });
  const { limit_key, account_key } = identity;
  await takeLimit(database, "login", limit_key);
  const isTried = account_key === null || (await isWithinLimit(database, "login", account_key));
  const tried = isTried ? identity : { ...identity, user_id: null };
  const userId = await uncountIfAway(database, ["login", limit_key, isTried ? account_key : null], () =>
    checkPassword(database, tried, password, browser.address),
  );
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

export interface SigningInBrowser {
  userAgent: string | null;
  address: string;
  /** The browser's previous session, which ends. */
  previousSessionId: string | null;
}

/** The browser as calls name it that begin a session. */
export function argumentsOf({ userAgent, address, previousSessionId }: SigningInBrowser) {
  return { p_user_agent: userAgent, p_ip: address, p_previous_session_id: previousSessionId };
}

const newSessionSchema = z.object({
  session_id: z.uuid(),
  user_id: z.uuid(),
  is_demo: z.boolean(),
  must_reset_password: z.boolean(),
  theme: z.enum(themes),
  /** The account was made with an invitation that was not used yet. */
  is_invited: z.boolean(),
});

/** The new session, and the product that the person joined with it. */
export type NewSession = z.infer<typeof newSessionSchema> & { joined: string | null };

/** Creates a new session id for every sign-in (specification: Authentication 2). The first one uses the account's invitation. */
export async function createSession(
  database: Database,
  userId: string,
  browser: SigningInBrowser,
): Promise<NewSession> {
  const given = { p_user_id: userId, ...argumentsOf(browser) };
  const session = await callService(database, "create_session", given, newSessionSchema);
  const joined = session.is_invited ? await joinAsInvited(database, session.session_id) : null;
  return { ...session, joined };
}

/** Null if the product was archived: that must not keep anyone from signing in. */
async function joinAsInvited(database: Database, session_id: string): Promise<string | null> {
  try {
    const { product_id } = await joinProduct({ database, credential: { session_id } }, {});
    return product_id;
  } catch (error) {
    if (error instanceof ContractError) return null;
    throw error;
  }
}
