import type { Database, SupabaseConnection } from "~/db/database.server";
import { takeLimit } from "./take-limit.server";

/**
 * Asks Supabase Auth for a recovery message. Nobody learns whether the account exists: the answer does not wait
 * for the message, which is sent for known addresses only.
 */
export async function requestRecovery(
  database: Database,
  client: SupabaseConnection,
  recovery: { email: string; addressKey: string; returnTo: string },
  report: (error: unknown) => void,
): Promise<void> {
  await takeLimit(database, "recovery", recovery.addressKey);
  client.auth.resetPasswordForEmail(recovery.email, { redirectTo: recovery.returnTo }).then(
    ({ error }) => {
      if (error) report(error);
    },
    (error: unknown) => report(error),
  );
}
