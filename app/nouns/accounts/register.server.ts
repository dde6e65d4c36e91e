import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { authFailure } from "./auth-failure.server";
import type { Registration } from "./contract";
import { requireFreeUsername } from "./require-free-username.server";

/** Result of a registration: an account that can sign in, or a confirmation message that was sent. */
export type RegistrationOutcome =
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
