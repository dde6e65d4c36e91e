import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

const loginIdentitySchema = z.object({
  user_id: z.uuid().nullable(),
  email: z.string(),
  /** Whether the browser was signed in to this account, lately or still. */
  is_known_browser: z.boolean(),
  /** Where a failed try counts. */
  limit_key: z.string(),
});
export type LoginIdentity = z.infer<typeof loginIdentitySchema>;

/**
 * The account behind a user name or e-mail address; for unknown ones no id and the address of a decoy. A browser that
 * was signed in to it counts apart from everybody else.
 */
export function findLoginIdentity(
  database: Database,
  identifier: string,
  previousSessionId: string | null = null,
): Promise<LoginIdentity> {
  return callService(
    database,
    "find_login_identity",
    { p_identifier: identifier, p_session_id: previousSessionId },
    loginIdentitySchema,
  );
}
