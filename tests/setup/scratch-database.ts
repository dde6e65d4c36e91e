import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { recreateDatabase } from "./test-cluster";

/**
 * `npm run db:scratch`: applies every migration to a fresh database `scratch` and says in a second
 * which file fails at which line. With `-- --keep` the database stays up for psql until Ctrl-C.
 */
async function main(): Promise<void> {
  const dataDir = resolve(process.env.DATA_DIR ?? ".data/scratch");
  await mkdir(dataDir, { recursive: true });
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password, settings: { fsync: "off" } });
  try {
    await recreateDatabase(cluster.url("supabase_admin", "template1"), "scratch");
    await applyShims(cluster.url("supabase_admin", "scratch"), password);
    const { applied } = await migrateDatabase(cluster.url("postgres", "scratch"));
    console.log(`${applied} migrations applied`);
    if (process.argv.includes("--keep")) await keepUp(cluster.url("postgres", "scratch"));
  } finally {
    await cluster.stop();
  }
}

async function keepUp(url: string): Promise<void> {
  console.log(`psql "${url}"`);
  const alive = setInterval(() => undefined, 60_000);
  await new Promise<void>((end) => {
    process.once("SIGINT", () => end());
    process.once("SIGTERM", () => end());
  });
  clearInterval(alive);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
