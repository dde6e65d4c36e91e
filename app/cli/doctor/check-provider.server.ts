import type { Env } from "~/env.server";
import { checkProvider } from "~/nouns/identities/provider.server";
import { type Check, failed, passed, reasonOf } from "./check";

const name = "provider";

/** Checks that the identity provider answers, and names the address to register there. Returns [] if none is set up. */
export async function checkSignInProvider({
  oidc,
  appOrigin,
}: Pick<Env, "oidc" | "appOrigin">): Promise<Check[]> {
  if (!oidc) return [];
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
