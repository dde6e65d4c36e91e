import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { findLoginIdentity } from "./operations.server";

/** Refuses a taken username before Supabase Auth is asked for an account. */
export async function requireFreeUsername(database: Database, username: string): Promise<void> {
  const { user_id: owner } = await findLoginIdentity(database, { identifier: username });
  if (owner === null) return;
  const message = "This username is taken. Choose another one.";
  throw new ContractError(422, message, { issues: [{ path: "username", message }] });
}
