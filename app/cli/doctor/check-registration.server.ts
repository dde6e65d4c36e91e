import { isSignUpOpen } from "~/db/auth-sign-up.server";
import type { Env } from "~/env.server";
import { type Check, failed, passed } from "./check";

const name = "registration";

/** Checks that registration closed here is also closed at Supabase Auth. */
export async function checkRegistration({
  registration,
  supabase,
}: Pick<Env, "registration" | "supabase">): Promise<Check> {
  if (registration === "open") {
    return passed(name, "open: anyone who can reach the sign-up page can create an account");
  }
  const isOpen = supabase === undefined ? false : await isSignUpOpen(supabase);
  if (isOpen === null) {
    return failed(
      name,
      `REGISTRATION=${registration}, and Supabase Auth does not say whether it accepts sign-ups itself`,
    );
  }
  if (!isOpen) return passed(name, `${registration}: an administrator creates accounts`);
  return failed(
    name,
    `Supabase Auth still creates accounts for anyone with the publishable key, past REGISTRATION=${registration}: turn "Allow new users to sign up" off (Authentication → Providers → Email)`,
  );
}
