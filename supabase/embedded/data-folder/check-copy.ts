import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { startCluster } from "../postgres/cluster";

/** Low resource limits, because another Postgres works on the same machine. */
const modest = { shared_buffers: "32MB", autovacuum: "off", max_wal_size: "128MB" };

/**
 * Opens a copy as a start would, which recovers its database to the end of the backup, and reads every row, so that
 * checksums reveal corrupt pages.
 */
export async function countRowsOf(copy: string, password: string): Promise<Record<string, number>> {
  const cluster = await startCluster({ dataDir: copy, password, settings: modest });
  try {
    return await countRows(cluster.url("supabase_admin", "postgres"));
  } finally {
    await cluster.stop();
    for (const name of ["users", "postgres.log"]) {
      await rm(join(copy, name), { recursive: true, force: true });
    }
  }
}

async function countRows(url: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${name}`);
      counts[name] = Number(rows[0]?.n);
    }
    return counts;
  } finally {
    await client.end();
  }
}
