import { readAuthSettings } from "~/db/auth-settings.server";
import type { Env } from "~/env.server";
import { checkProvider } from "~/nouns/identities/provider.server";
import { type Check, failed, passed, reasonOf } from "./check";

/** Checks that registration closed here is also closed at Supabase Auth. */
export async function checkRegistration({
  registration,
  supabase,
}: Pick<Env, "registration" | "supabase">): Promise<Check> {
  const name = "registration";
  if (registration === "open") return passed(name, "open: anyone who can reach the sign-up page can create an account");
  const closed = `${registration}: ${howAccountsAreMade[registration]}`;
  if (supabase === undefined) return passed(name, closed);
  const settings = await readAuthSettings({ ...supabase, supabaseUrl: supabase.url });
  if (settings === null) {
    return failed(
      name,
      `REGISTRATION=${registration}, and Supabase Auth does not say whether it accepts sign-ups itself`,
    );
  }
  if (settings.disable_signup) return passed(name, closed);
  return failed(
    name,
    `Supabase Auth still creates accounts for anyone with the publishable key, past REGISTRATION=${registration}: turn "Allow new users to sign up" off (Authentication → Providers → Email)`,
  );
}

const howAccountsAreMade = {
  invite: "accounts come from invitation links or an administrator",
  closed: "an administrator creates accounts",
} as const;

/** Checks that the identity provider answers, and names the address to register there. Returns [] if none is set up. */
export async function checkSignInProvider({ oidc, appOrigin }: Pick<Env, "oidc" | "appOrigin">): Promise<Check[]> {
  if (!oidc) return [];
  const name = "provider";
  try {
    await checkProvider(oidc);
    const address = `${appOrigin}/auth/oidc/callback`;
    return [passed(name, `${oidc.issuer} answers; register ${address} there as redirect address`)];
  } catch (error) {
    return [
      failed(
        name,
        `OIDC_ISSUER=${oidc.issuer} does not answer as a provider of that name (${reasonOf(error)}): compare it with "issuer" in its /.well-known/openid-configuration`,
      ),
    ];
  }
}
