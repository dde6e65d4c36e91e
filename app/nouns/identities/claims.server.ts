import type { OidcSettings } from "~/env-oidc.server";
import { emailSchema } from "~/nouns/accounts/contract";

/** Claims of a provider about a person. */
export type Claims = Readonly<Record<string, unknown>>;

/** The email address if the provider has verified it, by the standard claim or by Microsoft Entra's. */
export function verifiedEmailOf(claims: Claims): string | null {
  const isVerified = [claims.email_verified, claims.xms_edov].some((said) =>
    [true, "true", 1, "1"].some((yes) => yes === said),
  );
  const email = emailSchema.safeParse(claims.email);
  return isVerified && email.success ? email.data : null;
}

/** True if the claim makes the person an administrator; null if none is configured. */
export function isAdministrator(
  claims: Claims,
  wanted: OidcSettings["adminClaim"],
): boolean | null {
  if (!wanted) return null;
  const said = claimAt(claims, wanted.name);
  const values: readonly unknown[] = Array.isArray(said) ? said : [said];
  return values.some((value) => value === wanted.value || String(value) === String(wanted.value));
}

/** Finds a claim by name or by path, such as Keycloak's `realm_access.roles`. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}
