import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { applyShims } from "../embedded/apply-shims";
import { startCluster } from "../embedded/postgres/cluster";
import { loadSecrets } from "../embedded/secrets";

export interface ScratchDatabases {
  /** Creates a database with what a new Supabase project has. Returns its address for role `postgres`. */
  make(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a temporary Postgres for comparing databases. It is deleted when it stops. */
export async function startScratchDatabases(): Promise<ScratchDatabases> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-scratch-"));
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password, settings: { fsync: "off" } });
  return {
    make: async (name) => {
      await createDatabase(cluster.url("supabase_admin", "template1"), name);
      await applyShims(cluster.url("supabase_admin", name), password);
      return cluster.url("postgres", name);
    },
    stop: async () => {
      await cluster.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
