import { z } from "zod";
import type { AuthSettings } from "~/db/auth-settings.server";
import type { Database, SupabaseConnection } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { hashInvitationCode, withInvitation } from "~/nouns/products/invitations.server";
import type { Registration, roles } from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";
import { authFailure, registrationRefusal } from "./auth-failure.server";
import { findLoginIdentity } from "./operations.server";
import { sendRecovery, setPassword } from "./passwords.server";

interface NewAccount extends Registration {
  role?: (typeof roles)[number];
  is_demo?: boolean;
}

/** Creates an account for the operator (admin command, first start): no confirmation, optional role and demo flag. */
export async function createAccount(database: Database, account: NewAccount): Promise<{ id: string }> {
  await removeUnconfirmed(database, account.email);
  await requireFreeUsername(database, account.username);
  const { data, error } = await database.secretClient.auth.admin.createUser({
    email: account.email,
    password: account.password,
    email_confirm: true,
    user_metadata: { username: account.username },
  });
  if (error) throw authFailure(error);
  const given = { p_user_id: data.user.id, p_role: account.role ?? null, p_is_demo: account.is_demo ?? null };
  return callService(database, "configure_account", given, z.object({ id: z.uuid() }));
}

interface RegistrationWays {
  /** Null if Auth does not answer. */
  settings: AuthSettings | null;
  invitationCode: string | undefined;
  /** Sends the message, and keeps what its link needs in this browser. */
  client: SupabaseConnection;
  appOrigin: string;
}

/**
 * With the secret key, as Auth may be closed to others. Without a password, a message leads to choosing one, so that
 * no one keeps an account with another's address. A known address gets the same message; then returns null.
 */
export function register(
  database: Database,
  { username, email, password }: Omit<Registration, "password"> & { password?: string },
  { settings, invitationCode, client, appOrigin }: RegistrationWays,
): Promise<string | null> {
  const refusal = registrationRefusal(settings, invitationCode !== undefined);
  if (refusal) throw refusal;
  return withInvitation(database, invitationCode, async () => {
    await removeUnconfirmed(database, email, invitationCode);
    await requireFreeUsername(database, username);
    const { admin } = database.secretClient.auth;
    const { data, error } = await admin.createUser({
      email,
      ...(password === undefined ? {} : { password }),
      email_confirm: password !== undefined,
      user_metadata: { username },
    });
    if (error?.code === "email_exists" && password === undefined) {
      await sendRecovery(client, email, appOrigin);
      return null;
    }
    if (error) throw await refusalOf(error, database, username);
    try {
      // Auth checks the rules for passwords only where one is changed.
      if (password === undefined) await sendRecovery(client, email, appOrigin);
      else await setPassword(database, data.user.id, password);
    } catch (failure) {
      await admin.deleteUser(data.user.id);
      throw failure;
    }
    return data.user.id;
  });
}

async function removeUnconfirmed(database: Database, email: string, code?: string): Promise<void> {
  const given = { p_email: email, p_code_hash: code === undefined ? null : hashInvitationCode(code) };
  const ids = await callService(database, "find_unconfirmed_accounts", given, z.array(z.uuid()));
  for (const id of ids) await database.secretClient.auth.admin.deleteUser(id);
}

/** Two people may ask for the same name at once; the database lets only one through. */
async function refusalOf(
  error: Parameters<typeof authFailure>[0],
  database: Database,
  username: string,
): Promise<Error> {
  const failure = authFailure(error);
  if (failure instanceof ContractError) return failure;
  await requireFreeUsername(database, username);
  return failure;
}

/** Refuses a taken username before Supabase Auth is asked for an account. */
async function requireFreeUsername(database: Database, username: string): Promise<void> {
  const { user_id: owner } = await findLoginIdentity(database, { identifier: username });
  if (owner === null) return;
  const message = "This username is taken. Choose another one.";
  throw new ContractError(422, message, { issues: [{ path: "username", message }] });
}
