import type { Database, SupabaseConnection } from "~/db/database.server";
import { takeLimit } from "./take-limit.server";

/**
 * Asks Supabase Auth for a recovery message. It goes to known addresses only, and the answer does not wait for it, so
 * no one learns whether the account exists.
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
