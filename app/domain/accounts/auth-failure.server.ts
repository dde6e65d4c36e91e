import type { AuthError } from "@supabase/supabase-js";
import { ContractError } from "~/contract/errors";

const refusals: Readonly<Record<string, string>> = {
  email_exists: "An account with this e-mail address exists already.",
  user_already_exists: "An account with this e-mail address exists already.",
  email_address_invalid: "Enter an e-mail address like anna@example.org",
  weak_password: "Choose a longer or less common password.",
  same_password: "Choose a password that is not the present one.",
};

/** What Supabase Auth refuses, as the form shows it; what it fails at stays a failure. */
export function authFailure(error: AuthError): Error {
  if (error.status === 429) {
    return new ContractError(429, "Too many tries. Wait a minute, then try again.", {
      retryAfter: 60,
    });
  }
  const message = refusals[error.code ?? ""];
  if (message === undefined) return new Error("Supabase Auth failed", { cause: error });
  const path = error.code?.endsWith("password") ? "password" : "email";
  return new ContractError(422, message, { issues: [{ path, message }] });
}
