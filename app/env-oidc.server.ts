import { z } from "zod";
import { count, issuer, list } from "./env-values.server";

/** Settings for company sign-in (OpenID Connect). */
export interface OidcSettings {
  /** Must equal the provider's own issuer exactly. */
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Lower case. Empty allows any domain. */
  allowedDomains: readonly string[];
  /** Claim that grants the administrator role. Without it, the role is removed. */
  adminClaim: { name: string; value: string | true } | undefined;
  /** Within how many hours anyone who has no refresh token signs in again. */
  recheckHours: number;
}

const domain = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, "must list domains like example.org, separated by commas");

export const oidcVariables = {
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_ALLOWED_DOMAINS: list
    .transform((domains) => domains.map((given) => given.replace(/^@/, "")))
    .pipe(z.array(domain))
    .default([]),
  OIDC_ADMIN_CLAIM: z
    .string()
    .regex(/^[^=\s]+(=[^=]+)?$/, "must be a claim, or a claim and its value, like groups=admins")
    .optional(),
  OIDC_RECHECK_HOURS: count(1, 8760).default(168),
};

type OidcVariables = z.infer<z.ZodObject<typeof oidcVariables>>;

export function missingForOidc(values: OidcVariables): string[] {
  const isUsed =
    values.OIDC_CLIENT_ID ||
    values.OIDC_CLIENT_SECRET ||
    values.OIDC_ADMIN_CLAIM ||
    values.OIDC_ALLOWED_DOMAINS.length > 0;
  if (!values.OIDC_ISSUER) {
    return isUsed ? ["OIDC_ISSUER is missing: the other OIDC_ variables belong to a provider"] : [];
  }
  return values.OIDC_CLIENT_ID
    ? []
    : ["OIDC_CLIENT_ID is missing: register Backloom at the provider and copy its client ID"];
}

export function toOidc(values: OidcVariables): OidcSettings | undefined {
  if (!values.OIDC_ISSUER || !values.OIDC_CLIENT_ID) return undefined;
  const [name, value = true] = values.OIDC_ADMIN_CLAIM?.split("=") ?? [];
  return {
    issuer: values.OIDC_ISSUER,
    clientId: values.OIDC_CLIENT_ID,
    clientSecret: values.OIDC_CLIENT_SECRET,
    allowedDomains: values.OIDC_ALLOWED_DOMAINS,
    adminClaim: name === undefined ? undefined : { name, value },
    recheckHours: values.OIDC_RECHECK_HOURS,
  };
}
