import pg from "pg";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { crowdTables, fillCrowd, fillPeople } from "./crowd-rows";

/** What makes many rows quick to write and is not a way to run an installation. */
const loading = {
  shared_buffers: "2GB",
  maintenance_work_mem: "1GB",
  max_wal_size: "16GB",
  synchronous_commit: "off",
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
};

/** Products in a statement: a few million rows, so that a machine with little memory bears it too. */
const atOnce = 100;

/**
 * Brings the crowd of a data folder that no one uses to so many tasks, spread evenly over its products, each with the
 * history of its tasks: finished sprints, runs, jobs, usage and logs, and one sprint whose run waits for workers.
 */
export async function growCrowd(dataDir: string, products: number, size: { from: number; to: number }): Promise<void> {
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password, settings: loading });
  const client = new pg.Client({ connectionString: cluster.url("supabase_admin", "postgres") });
  await client.connect();
  try {
    if (size.from === 0) await fillPeople(client, products);
    const rebuild = await dropIndexes(client);
    await client.query("set session_replication_role = replica");
    for (let first = 1; first <= products; first += atOnce) {
      const last = Math.min(products, first + atOnce - 1);
      await fillCrowd(client, { first, last, ...storiesOf(size, products) });
    }
    await client.query("reset session_replication_role");
    await rebuild();
    await client.query("vacuum (freeze, analyze)");
    await client.query("checkpoint");
  } finally {
    await client.end();
    await cluster.stop();
  }
}

/** Stories of eight tasks that each product has, and is to have. */
function storiesOf({ from, to }: { from: number; to: number }, products: number) {
  const stories = (tasks: number) => Math.ceil(tasks / products / 8);
  return { after: stories(from), upTo: stories(to) };
}

/** Indexes are built once over all rows, as a restore from a dump does, not row by row; keys stay. */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = any ($1::text[]::regclass[])
       and not i.indisunique and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [crowdTables.map((table) => `public.${table}`)],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}
