import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

export type LimitedAction =
  | "login"
  | "provider_sign_in"
  | "registration"
  | "recovery"
  | "password"
  | "product"
  | "hook_address"
  | "open_door"
  | "file"
  | "import"
  | "client_document";

/**
 * Counts a try that no operation of a user counts, because no one is signed in yet or the service acts for them; 429
 * beyond the limit (specification: Limits). Failed tries count too.
 */
export async function takeLimit(database: Database, action: LimitedAction, key: string) {
  await callService(
    database,
    "take_limit",
    { p_action: action, p_key: key },
    z.object({ ok: z.literal(true) }),
  );
}

/** Counts a try; returns false instead of throwing when it is beyond the limit. */
export async function isWithinLimit(database: Database, action: LimitedAction, key: string) {
  try {
    await takeLimit(database, action, key);
    return true;
  } catch (error) {
    if (error instanceof ContractError && error.status === 429) return false;
    throw error;
  }
}

/** Uncounts a try that succeeded. */
export async function giveBackLimit(database: Database, action: LimitedAction, key: string) {
  await callService(
    database,
    "give_back_limit",
    { p_action: action, p_key: key },
    z.object({ ok: z.literal(true) }),
  );
}
