import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

const accountSchema = z.object({ id: z.uuid(), username: z.string(), email: z.string() });
export type ResolvedAccount = z.infer<typeof accountSchema>;

/** A user by name, e-mail address or id, for the admin command line; 404 when there is none. */
export function resolveAccount(database: Database, identifier: string): Promise<ResolvedAccount> {
  return callService(database, "resolve_account", { p_identifier: identifier }, accountSchema);
}
