import { z } from "zod";
import { callService } from "~/db/rpc.server";
import type { Backend } from "~/server/backend";
import { type Check, failed, passed, reasonOf } from "./check";

const factsSchema = z.object({
  migrations: z.array(z.string()),
  schedules: z.array(z.string()),
  vault_secrets: z.array(z.string()),
});

/** Whether every migration of this checkout is applied, and whether the schedules run somewhere. */
export async function checkDatabase(backend: Backend): Promise<Check[]> {
  try {
    const facts = await callService(backend.database, "doctor_facts", {}, factsSchema);
    return [await checkMigrations(facts.migrations), checkSchedules(backend, facts)];
  } catch (error) {
    return [
      failed("migrated", `Apply the migrations with supabase db push (${reasonOf(error)})`),
      failed("schedules", "Not looked at: the migrations come first"),
    ];
  }
}

async function checkMigrations(applied: readonly string[]): Promise<Check> {
  const { listMigrations } = await import("../../../supabase/embedded/migrations");
  const known = await listMigrations().catch(() => []);
  if (known.length === 0) return passed("migrated", `${applied.length} migrations are applied`);
  const done = new Set(applied);
  const missing = known.filter(({ version }) => !done.has(version));
  const [first] = missing;
  if (first === undefined) return passed("migrated", `all ${known.length} migrations are applied`);
  return failed(
    "migrated",
    `${missing.length} migrations are missing, the first is ${first.name}: run supabase db push --remote=<url> --yes`,
  );
}

function checkSchedules({ isEmbedded, env }: Backend, facts: z.output<typeof factsSchema>): Check {
  if (isEmbedded) return passed("schedules", "the running service keeps them itself");
  if (env.cronSecret === undefined) {
    return failed("schedules", "CRON_SECRET is unset, so the scheduled endpoints refuse everybody");
  }
  if (facts.schedules.length < 2) {
    return failed(
      "schedules",
      "pg_cron has no entries of this service: enable pg_cron and pg_net and run select private.install_schedules(), or deploy supabase/functions/scheduled",
    );
  }
  const missing = ["backloom_cron_secret", "backloom_origin"].filter(
    (name) => !facts.vault_secrets.includes(name),
  );
  if (missing.length === 0) return passed("schedules", facts.schedules.join(", "));
  return failed("schedules", `Vault has no secret ${missing.join(" and ")}: see docs/deploy.md`);
}
