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
import { noInput, operation } from "../operation.server";

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
