import { z } from "zod";
import {
  auditEventSchema,
  listAuditEventsInput,
  listUsersInput,
  managedUserSchema,
  profileChangesSchema,
  profileSchema,
  sessionIdInput,
  sessionSchema,
  setActiveProductInput,
  updateUserInput,
} from "~/contract/account";
import { noInput, operation, serviceOperation } from "../operation.server";

/** 100 users by name, after the given one; administrators only. */
export const adminListUsers = operation(
  "admin_list_users",
  listUsersInput,
  z.array(managedUserSchema),
);

/** Changes role, demo flag or password duty of a user; administrators only. */
export const adminUpdateUser = operation(
  "admin_update_user",
  updateUserInput,
  z.object({ id: z.uuid() }),
);

/** 50 lines of the audit trail, newest first: one's own, or everybody's for an administrator. */
export const listAuditEvents = operation(
  "list_audit_events",
  listAuditEventsInput,
  z.array(auditEventSchema),
);

/** The user's own profile (specification: Other records, User). */
export const getProfile = operation("get_profile", noInput, profileSchema);

/** The browsers in which the user is signed in. */
export const listSessions = operation("list_sessions", noInput, z.array(sessionSchema));

/** Changes user name, worker quota threshold or theme. */
export const updateProfile = operation("update_profile", profileChangesSchema, profileSchema);

/** Ends one of the user's sessions, wherever it is. */
export const revokeSession = operation(
  "revoke_session",
  sessionIdInput,
  z.object({ id: z.uuid() }),
);

/** Selects the product the user works on, or none (specification: Authentication 8). */
export const setActiveProduct = operation(
  "set_active_product",
  setActiveProductInput,
  z.object({ active_product_id: z.uuid().nullable() }),
);

const loginIdentitySchema = z.object({
  user_id: z.uuid().nullable(),
  email: z.string(),
  /** Where a failed try counts, and is refused beyond the limit. */
  limit_key: z.string(),
  /** Where the tries under all names of the account count; null for a browser that was signed in to it. */
  account_key: z.string().nullable(),
});
export type LoginIdentity = z.infer<typeof loginIdentitySchema>;

/**
 * The account behind a user name or e-mail address; for unknown ones no id and the address of a decoy. A browser that
 * was signed in to it (its session) counts apart from everybody else.
 */
export const findLoginIdentity = serviceOperation(
  "find_login_identity",
  z.object({ identifier: z.string(), session_id: z.string().nullish() }),
  loginIdentitySchema,
);

/** Whether anybody has an account yet; without one an embedded installation starts for the first time. */
export const hasAccounts = serviceOperation("has_accounts", noInput, z.boolean());

/** A user by name, e-mail address or id, for the admin command line; 404 when there is none. */
export const resolveAccount = serviceOperation(
  "resolve_account",
  z.object({ identifier: z.string() }),
  z.object({ id: z.uuid(), username: z.string(), email: z.string() }),
);

/** Signs one browser out; its cookie is worth nothing afterwards. */
export const endSession = serviceOperation(
  "end_session",
  sessionIdInput.extend({ ip: z.string() }),
  z.object({ ended: z.boolean() }),
);
