import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { readEnv } from "~/env.server";
import { hasAccounts } from "~/nouns/accounts/operations.server";
import { openBackend } from "~/server/backend";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { password as morningPassword, openMorning } from "./morning/open-morning";
import { recreateDatabase } from "./test-cluster";

/**
 * `npm run db:scratch`: applies every migration to a fresh database `scratch` and says in a second
 * which file fails at which line. With `-- --keep` the database stays up for psql until Ctrl-C.
 * `npm run db:scratch -- morning` fills a data folder with what a team finds in the morning (tests/setup/morning).
 */
async function main(): Promise<void> {
  if (process.argv.includes("morning")) return makeMorning();
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

async function makeMorning(): Promise<void> {
  const begun = performance.now();
  const dataDir = resolve(process.env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), "backloom-morning-"))));
  const { database, migrationUrl = "", stop } = await openBackend(readEnv({ DATA_DIR: dataDir }));
  const sql = new pg.Pool({ connectionString: migrationUrl });
  // A connection that the pool is still closing may hear that the database stops.
  sql.on("error", () => undefined);
  const urlFor = (role: string) => Object.assign(new URL(migrationUrl), { username: role }).href;
  try {
    if (await hasAccounts(database))
      throw new Error(`${dataDir} is in use. Remove it, or set DATA_DIR to another folder.`);
    const actorOf = (user: { id: string }) => ({ database, credential: { user_id: user.id } });
    const { mira, jonas } = await openMorning({ database, sql, actorOf, urlFor });
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(`The morning is in ${dataDir} (${seconds} s). Start the service on it:`);
    console.log(`  DATA_DIR=${dataDir} npm start`);
    console.log(`Sign in as ${mira.username}, or as ${jonas.username} who works with her: ${morningPassword}`);
  } finally {
    await sql.end();
    await stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
