import { ContractError } from "~/contract/errors";
import type { Database, SupabaseConnection } from "~/db/database.server";
import { notePasswordChange, setPassword } from "./passwords.server";
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

/**
 * What the link in the message carries: a code that only works in the browser that asked (default template), or a token
 * that works alone (a template that links to `/recover?token_hash={{ .TokenHash }}`).
 */
interface RecoveryProof {
  kind: "code" | "token_hash";
  value: string;
}

/** Sets the new password for the user with the link from the message. */
export async function finishRecovery(
  database: Database,
  client: SupabaseConnection,
  recovery: { proof: RecoveryProof; password: string; address: string },
): Promise<void> {
  const { kind, value } = recovery.proof;
  const { data, error } =
    kind === "code"
      ? await client.auth.exchangeCodeForSession(value)
      : await client.auth.verifyOtp({ token_hash: value, type: "recovery" });
  if (error || !data.user) {
    const message =
      "This link has expired, or was requested in another browser. Request a new one.";
    throw new ContractError(422, message);
  }
  await setPassword(database, data.user.id, recovery.password);
  await notePasswordChange(database, { userId: data.user.id, address: recovery.address });
}
