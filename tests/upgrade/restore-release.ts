import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { applyShims } from "../../supabase/embedded/apply-shims";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { type KeptRelease, writableColumns } from "./kept-release";

/** Makes of an empty folder the data folder that the release left: its own migrations, records and rows. */
export async function restoreRelease(kept: KeptRelease, dataDir: string): Promise<void> {
  await writeFile(join(dataDir, "secrets.json"), JSON.stringify(kept.secrets), { mode: 0o600 });
  await writeNote(kept, dataDir);
  const password = kept.secrets.databasePassword ?? "";
  const cluster = await startCluster({ dataDir, password });
  try {
    const urlFor = (role: string) => cluster.url(role, "postgres");
    await applyShims(urlFor("supabase_admin"), password);
    await restoreDatabase(kept, urlFor);
  } finally {
    await cluster.stop();
  }
}

/** The same in a database that has what a project has from the start. */
export async function restoreDatabase(kept: KeptRelease, urlFor: (role: string) => string): Promise<void> {
  await withClient(urlFor("postgres"), (client) => makeTables(client, kept));
  await withClient(urlFor("supabase_admin"), (client) => fillTables(client, kept));
}

/** 0.1.0 left none. */
async function writeNote({ version, migrations }: KeptRelease, dataDir: string): Promise<void> {
  if (version === "0.1.0") return;
  const note = { version, newest_migration: migrations.at(-1)?.version };
  await writeFile(join(dataDir, "made-by.json"), JSON.stringify(note));
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function makeTables(client: pg.Client, { migrations }: KeptRelease): Promise<void> {
  await client.query(`create schema supabase_migrations;
    create table supabase_migrations.schema_migrations (
      version text not null primary key, statements text[], name text)`);
  for (const { version, name, statements } of migrations) {
    await client.query(statements.join(";\n"));
    await client.query("insert into supabase_migrations.schema_migrations values ($1, $2, $3)", [
      version,
      statements,
      name,
    ]);
  }
}

/** As they were: no trigger counts, stamps or refuses anything. */
async function fillTables(client: pg.Client, { tables }: KeptRelease): Promise<void> {
  await client.query("set session_replication_role = replica");
  for (const { name, rows } of tables) {
    const columns = (await writableColumns(client, name)).join(", ");
    await client.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::${name}, $1)`,
      [JSON.stringify(rows)],
    );
  }
  // A release grows old; its sessions are looked at as on the day after.
  await client.query("update public.user_sessions set expires_at = now() + interval '30 days'");
}
