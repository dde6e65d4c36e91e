import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { authFailure } from "./auth-failure.server";
import type { Registration, roles } from "./contract";
import { findLoginIdentity } from "./operations.server";

interface NewAccount extends Registration {
  role?: (typeof roles)[number];
  is_demo?: boolean;
}

/** Creates an account for the operator (admin command, first start): no confirmation, optional role and demo flag. */
export async function createAccount(
  database: Database,
  account: NewAccount,
): Promise<{ id: string }> {
  await requireFreeUsername(database, account.username);
  const { data, error } = await database.secretClient.auth.admin.createUser({
    email: account.email,
    password: account.password,
    email_confirm: true,
    user_metadata: { username: account.username },
  });
  if (error) throw authFailure(error);
  return callService(
    database,
    "configure_account",
    {
      p_user_id: data.user.id,
      p_role: account.role ?? null,
      p_is_demo: account.is_demo ?? null,
    },
    z.object({ id: z.uuid() }),
  );
}

/** Result of a registration: an account that can sign in, or a confirmation message that was sent. */
type RegistrationOutcome =
  | { status: "registered"; userId: string }
  | { status: "confirmation_sent" };

/** Creates an account, always a DEVELOPER (form `POST /register`). A database trigger creates the profile. */
export async function register(
  database: Database,
  { username, email, password }: Registration,
  { appOrigin, address }: { appOrigin: string; address: string },
): Promise<RegistrationOutcome> {
  await requireFreeUsername(database, username);
  const client = database.signInClient(address);
  const { data, error } = await client.auth.signUp({
    email,
    password,
    options: { data: { username }, emailRedirectTo: `${appOrigin}/login` },
  });
  if (error) throw await refusalOf(error, database, username);
  if (data.session === null) return { status: "confirmation_sent" };
  await client.auth.signOut({ scope: "local" });
  return { status: "registered", userId: data.session.user.id };
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
