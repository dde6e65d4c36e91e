import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callService } from "~/db/rpc.server";
import { noInput, operation, serviceOperation } from "~/nouns/operation.server";
import * as wire from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";

/** Up to 100 users by name, after the given one; administrators only. */
export const adminListUsers = operation("admin_list_users", wire.listUsersInput, z.array(wire.managedUserSchema));

/** Changes a user's role, demo flag or forced password reset; administrators only. */
export const adminUpdateUser = operation("admin_update_user", wire.updateUserInput, z.object({ id: z.uuid() }));

/** Up to 50 audit events, newest first: the user's own, or everyone's for an administrator. */
export const listAuditEvents = operation(
  "list_audit_events",
  wire.listAuditEventsInput,
  z.array(wire.auditEventSchema),
);

/** The user's own profile (specification: Other records, User). */
export const getProfile = operation("get_profile", noInput, wire.profileSchema);

/** The user's signed-in browsers. */
export const listSessions = operation("list_sessions", noInput, z.array(wire.sessionSchema));

/** Changes username, worker quota threshold or theme. */
export const updateProfile = operation("update_profile", wire.profileChangesSchema, wire.profileSchema);

/** Ends one of the user's sessions. */
export const revokeSession = operation("revoke_session", wire.sessionIdInput, z.object({ id: z.uuid() }));

/** Ends all other sessions of the user. */
export const revokeOtherSessions = operation("revoke_other_sessions", noInput, z.object({ ended: z.int() }));

/** Selects the product the user works on, or none (specification: Authentication 8). */
export const setActiveProduct = operation(
  "set_active_product",
  wire.setActiveProductInput,
  z.object({ active_product_id: z.uuid().nullable() }),
);

const loginIdentitySchema = z.object({
  user_id: z.uuid().nullable(),
  email: z.string(),
  /** Key under which a failed try counts, and is refused beyond the limit. */
  limit_key: z.string(),
  /** Key for tries under all names of the account; null for a browser that was signed in to it. */
  account_key: z.string().nullable(),
});
export type LoginIdentity = z.infer<typeof loginIdentitySchema>;

/** For unknown ones no id and a decoy's address. A browser that was signed in (`session_id`) is counted separately. */
export const findLoginIdentity = serviceOperation(
  "find_login_identity",
  z.object({ identifier: z.string(), session_id: z.string().nullish() }),
  loginIdentitySchema,
);

/** True if any account exists. Without one, an embedded installation runs its first start. */
export const hasAccounts = serviceOperation("has_accounts", noInput, z.boolean());

/** Finds a user by name, email address or id, for the admin command line; 404 if there is none. */
export const resolveAccount = serviceOperation(
  "resolve_account",
  z.object({ identifier: z.string() }),
  z.object({ id: z.uuid(), username: z.string(), email: z.string() }),
);

/** Ends one browser's session; its cookie is worthless afterwards. */
export const endSession = serviceOperation(
  "end_session",
  wire.sessionIdInput.extend({ ip: z.string() }),
  z.object({ ended: z.boolean() }),
);

/** Returns the user behind a credential, read from the database now, or 401 (specification: Authentication). */
export async function authenticate({ database, credential }: Actor): Promise<wire.Principal> {
  return wire.principalSchema.parse(JSON.parse(await database.authenticate(credential)));
}

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

/** A try that no operation of a user counts; 429 beyond the limit (specification: Limits). Failed tries count too. */
export async function takeLimit(database: Database, action: LimitedAction, key: string) {
  await callService(database, "take_limit", { p_action: action, p_key: key }, z.object({ ok: z.literal(true) }));
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

/** Uncounts a try if Supabase Auth was away, so that nothing was tried. */
export async function uncountIfAway<T>(
  database: Database,
  [action, ...keys]: [LimitedAction, ...(string | null)[]],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContractError && error.status < 500) throw error;
    for (const key of keys) if (key !== null) await giveBackLimit(database, action, key);
    throw error;
  }
}

/** Uncounts a try that succeeded. */
export async function giveBackLimit(database: Database, action: LimitedAction, key: string) {
  await callService(database, "give_back_limit", { p_action: action, p_key: key }, z.object({ ok: z.literal(true) }));
}
