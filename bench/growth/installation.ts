import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connectDatabase, type Database } from "~/db/database.server";
import { type Cluster, startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { type EmbeddedSupabase, startEmbeddedSupabase } from "../../supabase/embedded/start";
import { createQueueWorld, type Queue, startRuns } from "../jobs/world";
import type { Team } from "./questions";

/** An installation as `npm start` has it, with one small team that asks. */
export interface Installation {
  dataDir: string;
  team: Team;
  sql: pg.Pool;
  pid(): number;
  /** Lets go of the data folder, does something with it, and starts again: no connection knows what was before. */
  whileClosed(work: () => Promise<void>): Promise<void>;
  remove(): Promise<void>;
}

interface Running {
  supabase: EmbeddedSupabase;
  cluster: Cluster;
  database: Database;
  sql: pg.Pool;
}

/** The tasks of the product that is looked at: a board as a team has it. */
const tasksOnBoard = 160;

export async function install(jobs: number): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-bench-"));
  let running = await open(dataDir);
  const reads = await createQueueWorld(running.sql, running.database, tasksOnBoard, 1);
  await addQueue(running, reads, jobs);
  const { rows } = await running.sql.query<{ id: string }>(
    "select id from public.tasks where product_id = $1 order by sort_order limit 1",
    [reads.productIds[0]],
  );
  const team = { reads, taskId: rows[0]?.id ?? "" };
  return {
    dataDir,
    team,
    get sql() {
      return running.sql;
    },
    pid: () => running.cluster.pid(),
    async whileClosed(work) {
      await close(running);
      await work();
      running = await open(dataDir);
      reads.actor.database = running.database;
    },
    async remove() {
      await close(running);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function open(dataDir: string): Promise<Running> {
  const supabase = await startEmbeddedSupabase({ dataDir, upgrade: { say: console.log } });
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  // As `npm start` connects to the Postgres that it brings.
  const database = connectDatabase({ ...supabase, connectionKind: "session" });
  const connectionString = cluster.url("supabase_admin", "postgres");
  const sql = new pg.Pool({ connectionString, max: 4 });
  // Connections that are just being closed hear that Postgres stops.
  sql.on("error", () => undefined);
  return { supabase, cluster, database, sql };
}

async function close({ supabase, cluster, database, sql }: Running): Promise<void> {
  await Promise.all([database.close(), sql.end()]);
  await cluster.stop();
  await supabase.stop();
}

/** A second product of the same person, whose run waits: enough jobs for all rounds. */
async function addQueue({ sql, database }: Running, reads: Queue, jobs: number): Promise<void> {
  const queue = await createQueueWorld(sql, database, jobs, 1);
  const client = await sql.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    const owner = [reads.actor.credential, queue.productIds[0]];
    await client.query(
      `with owner as (update public.products set owner_id = ($1::jsonb ->> 'user_id')::uuid where id = $2)
       update public.product_members set user_id = ($1::jsonb ->> 'user_id')::uuid where product_id = $2`,
      owner,
    );
    await client.query("commit");
  } finally {
    client.release();
  }
  await startRuns({ ...queue, actor: reads.actor });
}
