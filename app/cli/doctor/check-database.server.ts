import { z } from "zod";
import { callService } from "~/db/rpc.server";
import type { Backend } from "~/server/backend";
import { type Check, failed, passed, reasonOf } from "./check";
import { checkSchedules } from "./check-schedules.server";

const factsSchema = z.object({
  migrations: z.array(z.string()),
  schedules: z.array(z.string()),
  vault_secrets: z.array(z.string()),
});

/** Checks that all migrations of this checkout are applied, that schedules run, and that counters are right. */
export async function checkDatabase(backend: Backend): Promise<Check[]> {
  try {
    const facts = await callService(backend.database, "doctor_facts", {}, factsSchema);
    return [
      await checkMigrations(facts.migrations),
      await checkSchedules(backend, facts),
      await checkCounters(backend),
    ];
  } catch (error) {
    return [
      failed("migrated", `Apply the migrations with npm run admin -- migrate (${reasonOf(error)})`),
      failed("schedules", "Skipped: apply the migrations first"),
    ];
  }
}

/** Recounts the counters that triggers maintain, on which the assignment of jobs depends. */
async function checkCounters({ database }: Backend): Promise<Check> {
  const wrong = await callService(database, "find_wrong_counters", {}, z.array(z.unknown()));
  if (wrong.length === 0) return passed("counters", "what jobs wait for is counted right");
  return failed(
    "counters",
    `${wrong.length} jobs do not know what they wait for: report this, and cancel their run and start it again`,
  );
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
    `${missing.length} migrations are missing, the first is ${first.name}: run npm run admin -- migrate`,
  );
}
