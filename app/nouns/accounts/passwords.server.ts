import { randomBytes } from "node:crypto";
import type { AuthError } from "@supabase/supabase-js";
import { z } from "zod";
import type { Database, SupabaseConnection } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { PasswordChange, Principal } from "~/wire/accounts/contract";
import { ContractError, demoRefusal } from "~/wire/errors";
import { authFailure } from "./auth-failure.server";
import { findLoginIdentity, type LoginIdentity, takeLimit, uncountIfAway } from "./operations.server";

/** Changes the user's own password. Asks for the current one, and ends all other sessions. */
export async function changePassword(
  database: Database,
  principal: Principal,
  { current_password: current, new_password: wanted }: PasswordChange,
  address: string,
): Promise<void> {
  // The password is set with the service's key, which bypasses all policies.
  if (principal.is_demo) throw new ContractError(403, demoRefusal);
  // Counted separately from sign-ins: strangers who guess there must not block a password change.
  await takeLimit(database, "password", principal.user_id);
  const identity = { user_id: principal.user_id, email: principal.email };
  const present = current.normalize("NFC");
  const isRight = await uncountIfAway(database, ["password", principal.user_id], () =>
    checkPassword(database, identity, present, address),
  );
  if (isRight === null) throw refusal("current_password", "This is not your current password.");
  if (present === wanted) throw refusal("new_password", "Choose a password other than your current one.");
  await setPassword(database, principal.user_id, wanted);
  await notePasswordChange(database, { userId: principal.user_id, keepSessionId: principal.session_id, address });
}

function refusal(path: string, message: string): ContractError {
  return new ContractError(422, message, { issues: [{ path, message }] });
}

interface NamedReset {
  /** Username or email address. */
  identifier: string;
  password: string;
}

/** Resets a password by name instead of id, for the operator. */
export async function resetPassword(database: Database, { identifier, password }: NamedReset): Promise<{ id: string }> {
  const { user_id: userId } = await findLoginIdentity(database, { identifier });
  if (userId === null) throw new ContractError(404, "No such user. Check the ID: the account may have been deleted.");
  await resetPasswordOf(database, { userId, password, actorId: null });
  return { id: userId };
}

interface PasswordReset {
  userId: string;
  password: string;
  /** The administrator; null for the command line. */
  actorId: string | null;
}

/** Sets a temporary password: all sessions end, and the next sign-in asks for a new one. */
export async function resetPasswordOf(database: Database, { userId, password, actorId }: PasswordReset): Promise<void> {
  await setPassword(database, userId, password);
  await notePasswordChange(database, { userId, mustReset: true, actorId });
}

/** Sets a password through Supabase Auth, which alone hashes passwords. It is announced, so that the database knows whose it is. */
export async function setPassword(database: Database, userId: string, password: string): Promise<void> {
  const announced = z.object({ announced: z.boolean() });
  await callService(database, "announce_password", { p_user_id: userId }, announced);
  const { error } = await database.secretClient.auth.admin.updateUserById(userId, { password });
  if (error) throw authFailure(error);
}

interface PasswordChangeNote {
  userId: string;
  /** The session that stays; all others end. */
  keepSessionId?: string | null;
  /** The next sign-in asks for a new password. */
  mustReset?: boolean;
  actorId?: string | null;
  address?: string | null;
}

/** Ends the other sessions and unclaimed pairings after a password was changed or reset. */
export async function notePasswordChange(
  database: Database,
  note: PasswordChangeNote,
): Promise<{ sessions_ended: number }> {
  return callService(
    database,
    "password_changed",
    {
      p_user_id: note.userId,
      p_keep_session_id: note.keepSessionId ?? null,
      p_must_reset: note.mustReset ?? false,
      p_actor_id: note.actorId ?? null,
      p_ip: note.address ?? null,
    },
    z.object({ sessions_ended: z.number().int() }),
  );
}

/** The user's id, or null. An unknown account takes the same work, with a decoy's address: no time reveals it. */
export async function checkPassword(
  database: Database,
  identity: Pick<LoginIdentity, "user_id" | "email">,
  password: string,
  address: string,
): Promise<string | null> {
  const client = database.signInClient(address);
  const { data, error } = await client.auth.signInWithPassword({
    email: identity.email,
    password: identity.user_id === null ? randomBytes(24).toString("base64url") : password,
  });
  if (!error) {
    endAuthSession(client);
    if (data.user.factors?.some(({ status }) => status === "verified")) throw factorMissing();
    return data.user.id === identity.user_id ? data.user.id : null;
  }
  if (isWrongPassword(error)) return null;
  throw authFailure(error);
}

/** The app has its own sessions; the one Auth opened for a check is not needed, and no one waits for its end. */
function endAuthSession(client: SupabaseConnection): void {
  client.auth.signOut({ scope: "local" }).catch(() => undefined);
}

/** Auth accepts the password alone and leaves it to the app to ask for the second factor. */
function factorMissing(): ContractError {
  return new ContractError(
    403,
    "This account has a second factor in Supabase Auth, which this form cannot ask for. Sign in with your company's account, or ask the administrator to remove the factor.",
  );
}

/** Auth reports a locked account before it checks the password, so that counts too. Older ones send no code. */
function isWrongPassword({ code, status }: AuthError): boolean {
  if (code === undefined) return status === 400;
  return code === "invalid_credentials" || code === "user_banned";
}

/** Only to known addresses, and no answer waits for it, so that no one learns whether the account exists. */
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

/** Sends the message whose link leads to a password, and waits until it is sent. */
export async function sendRecovery(client: SupabaseConnection, email: string, appOrigin: string): Promise<void> {
  const redirectTo = `${appOrigin}/recover`;
  const { error } = await client.auth.resetPasswordForEmail(email, { redirectTo });
  if (error && !isJustSent(error)) throw authFailure(error);
}

/** Auth sends one message a minute to each account. To refuse the second would tell that there is an account. */
function isJustSent({ code, message }: AuthError): boolean {
  return code === "over_email_send_rate_limit" && message.startsWith("For security purposes");
}

/** A code for the browser that asked, or a token that works alone (`/recover?token_hash={{ .TokenHash }}`). */
type RecoveryProof = { kind: (typeof proofKinds)[number]; value: string };

/** `invite` is the token of an invitation sent from the project's dashboard. */
export const proofKinds = ["code", "token_hash", "invite"] as const;

/** Exchanges the proof, which works once, for the user's id. */
export async function proveRecovery(client: SupabaseConnection, { kind, value }: RecoveryProof): Promise<string> {
  const { data, error } =
    kind === "code"
      ? await client.auth.exchangeCodeForSession(value)
      : await client.auth.verifyOtp({ token_hash: value, type: kind === "invite" ? "invite" : "recovery" });
  if (data.user) {
    endAuthSession(client);
    return data.user.id;
  }
  const failure = error && authFailure(error);
  if (failure instanceof ContractError && failure.status >= 429) throw failure;
  const message = "This link has expired, or was requested in another browser. Request a new one.";
  throw new ContractError(422, message);
}

/** Sets the new password of the user whom the link proved. */
export async function finishRecovery(
  database: Database,
  { userId, password, address }: { userId: string; password: string; address: string },
): Promise<void> {
  await setPassword(database, userId, password);
  await notePasswordChange(database, { userId, address });
}
