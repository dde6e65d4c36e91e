import pg from "pg";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { type EmbeddedSecrets, loadSecrets } from "../../supabase/embedded/secrets";
import { authProgram, migrateAuth } from "./supabase-auth";

export const templateName = "backloom_template";

export interface TestCluster {
  port: number;
  secrets: EmbeddedSecrets;
  url(role: string, database: string): string;
  stop(): Promise<void>;
}

/**
 * Nothing of a test run outlives it, so its Postgres need not wait for the disk. And anyone who stops in the middle of
 * signing in, to any database, keeps Postgres from dropping another file's: not for as long as that file's hook waits.
 */
const forgetful = { fsync: "off", full_page_writes: "off", max_connections: "300", authentication_timeout: "20s" };

export async function startTestCluster(dataDir: string): Promise<TestCluster> {
  const secrets = await loadSecrets(dataDir);
  const password = secrets.databasePassword;
  const cluster = await startCluster({ dataDir, password, settings: forgetful });
  try {
    await recreateDatabase(cluster.url("supabase_admin", "template1"), templateName);
    await applyShims(cluster.url("supabase_admin", templateName), password);
    if (authProgram) await migrateAuth(authProgram, (role) => cluster.url(role, templateName));
    await migrateDatabase(cluster.url("postgres", templateName));
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return { port: cluster.port, secrets, url: cluster.url, stop: cluster.stop };
}

/** Drops and makes an empty database. No one is ever connected to template0. */
export async function recreateDatabase(adminUrl: string, name: string) {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const quoted = pg.escapeIdentifier(name);
    await client.query(`drop database if exists ${quoted} with (force)`);
    await client.query(`create database ${quoted} template template0`);
  } finally {
    await client.end();
  }
}
