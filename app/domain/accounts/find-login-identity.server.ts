import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

const loginIdentitySchema = z.object({ user_id: z.uuid().nullable(), email: z.string() });
export type LoginIdentity = z.infer<typeof loginIdentitySchema>;

/** The account behind a user name or e-mail address; for unknown ones no id and the address of a decoy. */
export function findLoginIdentity(database: Database, identifier: string): Promise<LoginIdentity> {
  return callService(
    database,
    "find_login_identity",
    { p_identifier: identifier },
    loginIdentitySchema,
  );
}
