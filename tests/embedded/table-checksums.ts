import pg from "pg";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";

export type TableChecksum = { count: number; sum: string };

/**
 * Count and checksum of every table of a data folder, no matter what the order of its rows. Postgres alone is asked, or is
 * started for that: the service would change some of them.
 */
export async function checksumsOf(dataDir: string): Promise<Record<string, TableChecksum>> {
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  const client = new pg.Client({ connectionString: cluster.url("supabase_admin", "postgres") });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const checksums: Record<string, TableChecksum> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<TableChecksum>(
        `select count(*)::int as count, coalesce(md5(string_agg(line, ',' order by line)), '') as sum
         from (select md5(t::text) as line from ${name} t) lines`,
      );
      if (rows[0]) checksums[name] = rows[0];
    }
    return checksums;
  } finally {
    await client.end();
    await cluster.stop();
  }
}
