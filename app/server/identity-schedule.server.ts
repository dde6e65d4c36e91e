import type { Logger } from "pino";
import type { Database } from "~/db/database.server";
import type { Env } from "~/env.server";
import { checkIdentities } from "~/nouns/identities/check-identities.server";
import { startCron } from "./scheduler.server";

interface IdentityScheduleOptions {
  database: Database;
  log: Logger;
  env: Pick<Env, "oidc" | "sessionSecrets">;
}

/** Any process checks what is due, so an account that ended at the provider is noticed within half an hour. */
const everyFiveMinutes = "*/5 * * * *";

/** Starts checking connected accounts at the identity provider. The returned function stops it. */
export function startIdentitySchedule({ database, log, env }: IdentityScheduleOptions): () => void {
  const { oidc: settings, sessionSecrets } = env;
  if (!settings) return () => undefined;
  const cron = startCron(everyFiveMinutes, { log }, "identity checks", () =>
    checkIdentities({ database, log, settings, sessionSecrets }),
  );
  return () => cron.stop();
}
