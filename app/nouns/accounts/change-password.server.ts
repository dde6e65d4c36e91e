import { ContractError, demoRefusal } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { checkPassword } from "./check-password.server";
import type { PasswordChange, Principal } from "./contract";
import { notePasswordChange } from "./note-password-change.server";
import { setPassword } from "./set-password.server";
import { takeLimit } from "./take-limit.server";

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
  if ((await checkPassword(database, identity, present, address)) === null) {
    throw refusal("current_password", "This is not your present password.");
  }
  if (present === wanted) {
    throw refusal("new_password", "Choose a password that is not the present one.");
  }
  await setPassword(database, principal.user_id, wanted);
  await notePasswordChange(database, {
    userId: principal.user_id,
    keepSessionId: principal.session_id,
    address,
  });
}

function refusal(path: string, message: string): ContractError {
  return new ContractError(422, message, { issues: [{ path, message }] });
}
