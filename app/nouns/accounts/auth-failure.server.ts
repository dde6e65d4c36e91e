import type { AuthError } from "@supabase/supabase-js";
import type { AuthSettings } from "~/db/auth-settings.server";
import { ContractError, type ErrorStatus } from "~/wire/errors";

interface Refusal {
  status: ErrorStatus;
  message: string;
  /** The form field it belongs to. */
  path?: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  email_exists: aboutEmail("An account with this email address exists already."),
  user_already_exists: aboutEmail("An account with this email address exists already."),
  email_address_invalid: aboutEmail("Enter an email address like anna@example.org"),
  email_address_not_authorized: aboutEmail(
    "This server may not send mail to this address yet. Ask its administrator to set up SMTP in Supabase Auth.",
  ),
  weak_password: aboutPassword("Choose a longer or less common password."),
  same_password: aboutPassword("Choose a password other than your current one."),
  signup_disabled: {
    status: 403,
    message: "New accounts are switched off here. Ask an administrator to make one for you.",
  },
  email_not_confirmed: {
    status: 403,
    message:
      "Your email address is not confirmed yet. Follow the link in the message we sent you, or request a new one under “Forgot your password?”.",
  },
  captcha_failed: {
    status: 503,
    message:
      "Supabase Auth asks for a CAPTCHA, which this form does not have. Ask the administrator to switch it off, or to use an sb_secret_ key.",
  },
  email_provider_disabled: {
    status: 503,
    message: "Email and password are switched off in Supabase Auth. Ask the administrator to switch them on.",
  },
};

const keyRefused: Refusal = {
  status: 503,
  message: "Supabase Auth refuses the key of this service. Ask the administrator to run npm run admin -- doctor.",
};

const away: Refusal = { status: 503, message: "Supabase Auth does not answer. Try again in a moment." };

const paused: Refusal = {
  status: 503,
  message: "The Supabase project is paused or restricted. Ask the administrator to look at its dashboard.",
};

/** The project's limit, unlike that of one client. */
const noMoreMail =
  "Supabase Auth has sent as many messages as it may in an hour. Try again later, or ask the administrator to set up SMTP or a higher limit.";

/**
 * Converts a refusal of Supabase Auth to what the form shows; failures stay failures. The cause is kept for the doctor.
 */
export function authFailure(error: AuthError): Error {
  if (error.code === "over_email_send_rate_limit") {
    return withCause(new ContractError(429, noMoreMail, { retryAfter: 3600 }), error);
  }
  if (error.status === 429) {
    const message = "Too many tries. Wait a minute, then try again.";
    return withCause(new ContractError(429, message, { retryAfter: 60 }), error);
  }
  const refusal = refusalOf(error);
  if (refusal === undefined) return new Error("Supabase Auth failed", { cause: error });
  return withCause(contractError(refusal), error);
}

/** Why no account can be made with these settings of Auth, if so; an invitation is a way in where sign-ups are off. */
export function registrationRefusal(settings: AuthSettings | null, isInvited: boolean): ContractError | undefined {
  if (settings === null) return contractError(away);
  const code = settings.external.email
    ? settings.disable_signup && !isInvited && "signup_disabled"
    : "email_provider_disabled";
  const refusal = code ? refusals[code] : undefined;
  return refusal && contractError(refusal);
}

function contractError({ status, message, path }: Refusal): ContractError {
  const issues = path === undefined ? {} : { issues: [{ path, message }] };
  return new ContractError(status, message, issues);
}

function refusalOf({ code = "", status = 0 }: AuthError): Refusal | undefined {
  if (refusals[code]) return refusals[code];
  if (status === 401 || ["bad_jwt", "no_authorization", "not_admin"].includes(code)) return keyRefused;
  if ([402, 540].includes(status)) return paused;
  // Auth's failures have a code; the others come from a proxy in front of it.
  return [0, 502, 503, 504].includes(status) || (status >= 500 && code === "") ? away : undefined;
}

function aboutEmail(message: string): Refusal {
  return { status: 422, message, path: "email" };
}

function aboutPassword(message: string): Refusal {
  return { status: 422, message, path: "password" };
}

function withCause(refusal: ContractError, cause: AuthError): ContractError {
  refusal.cause = cause;
  return refusal;
}
