import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import type { Env } from "~/env.server";
import type { OidcSettings } from "~/env-oidc.server";
import { claimIdentityChecks, endIdentity, keepIdentity } from "./operations.server";
import { renewSignIn } from "./provider.server";
import { seal, unseal } from "./seal.server";

type CheckContext = { database: Database; log: Logger; settings: OidcSettings; sessionSecrets: Env["sessionSecrets"] };

/**
 * Ends the access of accounts that the provider no longer knows, asked after twenty minutes, or a few if it does not
 * answer. Accounts without a refresh token end when they do not sign in again in time.
 */
export async function checkIdentities(context: CheckContext): Promise<void> {
  const failures: unknown[] = [];
  for (;;) {
    const claimed = await claimIdentityChecks(context.database, {
      issuer: context.settings.issuer,
      recheck_hours: context.settings.recheckHours,
    });
    if (claimed.length === 0) break;
    const outcomes = await Promise.allSettled(claimed.map((due) => checkIdentity(context, due)));
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") failures.push(outcome.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
}

type Claimed = Awaited<ReturnType<typeof claimIdentityChecks>>[number];

async function checkIdentity(
  { database, log, settings, sessionSecrets }: CheckContext,
  { issuer, subject, refresh_token: tried }: Claimed,
): Promise<void> {
  const refreshToken = await unseal("refresh token", tried, sessionSecrets);
  if (refreshToken === null) {
    log.warn(
      { subject },
      "SESSION_SECRET has changed: whether this account ended is asked again after its next sign-in",
    );
    await keepIdentity(database, { issuer, subject, refresh_token: "", tried, is_admin: null });
    return;
  }
  const renewal = await renewSignIn(settings, { subject, refreshToken });
  if (renewal.outcome === "ended") {
    const { ended } = await endIdentity(database, { issuer, subject, tried });
    if (ended) log.info({ subject }, "an account ended at the identity provider");
    return;
  }
  const refresh_token = await seal("refresh token", renewal.refreshToken, sessionSecrets);
  const is_admin = renewal.isAdmin;
  await keepIdentity(database, { issuer, subject, refresh_token, tried, is_admin });
}
