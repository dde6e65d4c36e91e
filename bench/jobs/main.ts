import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connectDatabase, type Database } from "~/db/database.server";
import { startCluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { startEmbeddedSupabase } from "../../supabase/embedded/start";
import { atMost } from "../at-most";
import { areRivalsInstalled } from "../rivals/installed";
import { median, verdict } from "../streams/statistics";
import { compareDispatch } from "./dispatch";
import { rateOfService } from "./ours";
import { rateOfPlainQueue } from "./plain";
import { measureRunStart } from "./run-start";
import { createQueueWorld, startRuns } from "./world";

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const products = Number(process.env.BENCH_PRODUCTS ?? 30);

/** What the queue of jobs costs, as ratios to bare statements in the same run. */
async function main(dataDir: string): Promise<void> {
  const supabase = await startEmbeddedSupabase({ dataDir, upgrade: { say: console.log } });
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  // As `npm start` connects to the Postgres that it brings.
  const database = connectDatabase({ ...supabase, connectionKind: "session" });
  const url = cluster.url("supabase_admin", "postgres");
  const sql = new pg.Pool({ connectionString: url, max: 10 });
  // Connections that are just being closed hear that Postgres stops.
  sql.on("error", () => undefined);
  try {
    const parts: Record<string, () => Promise<void>> = {
      async plain() {
        for (const workers of [1, 8]) await compareWithPlain(sql, database, workers);
      },
      queues: () => compareWithQueues(sql, database, () => new pg.Pool({ connectionString: url, max: 10 })),
      backlogs: () => compareBacklogs(sql, database),
      dispatch: () =>
        compareDispatch(sql, database, {
          rounds,
          seconds,
          backlog: atMost(30_000),
          products,
          ledger: 0,
          against: ["edges", "budgets"],
        }),
      ledger: () =>
        compareDispatch(sql, database, {
          rounds,
          seconds,
          backlog: atMost(3_000),
          products: 1,
          ledger: atMost(100_000),
          against: ["budgets"],
        }),
      start: () => measureRunStart(sql, database, rounds),
    };
    const wanted = process.argv.slice(2);
    for (const [name, measure] of Object.entries(parts)) {
      if (wanted.length === 0 || wanted.includes(name)) await measure();
    }
  } finally {
    await sql.end();
    await database.close();
    await cluster.stop();
    await supabase.stop();
  }
}

async function compareWithPlain(sql: pg.Pool, database: Database, workers: number) {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ours = await rateAt(sql, database, atMost(10_000), workers);
    const plain = await rateOfPlainQueue(sql, atMost(60_000), workers, seconds);
    if (round === 0) continue;
    ratios.push(ours / plain);
    console.log(`     ${workers} workers: ${Math.round(ours)} jobs/s, plain ${Math.round(plain)}/s`);
  }
  const name = `claim + complete against the plain pair, ${workers} workers`;
  console.log(verdict(name, median(ratios), 0.15, "higher"));
}

/** Other people's queues at the same backlog; each gets its own pool, because they leave settings behind. */
async function compareWithQueues(sql: pg.Pool, database: Database, openPool: () => pg.Pool) {
  if (!areRivalsInstalled()) return;
  const { rateOfGraphileWorker } = await import("../rivals/graphile-worker.mjs");
  const { rateOfPgBoss } = await import("../rivals/pg-boss.mjs");
  const queues = [
    { name: "graphile-worker", rateOf: rateOfGraphileWorker, floor: 0.15 },
    { name: "pg-boss", rateOf: rateOfPgBoss, floor: 1.5 },
  ];
  for (const { name, rateOf, floor } of queues) {
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ours = await rateAt(sql, database, atMost(10_000), 8);
      const pool = openPool();
      const theirs = await rateOf(pool, 10_000, 8, seconds);
      await pool.end();
      ratios.push(ours / theirs);
      console.log(`     ${Math.round(ours)} jobs/s, ${name} ${Math.round(theirs)}/s`);
    }
    const title = `claim + complete against ${name}, 8 workers, backlog 10,000`;
    console.log(verdict(title, median(ratios), floor, "higher"));
  }
}

async function compareBacklogs(sql: pg.Pool, database: Database) {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const small = await rateAt(sql, database, atMost(300), 8, Math.min(0.5, seconds));
    const large = await rateAt(sql, database, atMost(30_000), 8);
    ratios.push(large / small);
    console.log(`     backlog 30,000: ${Math.round(large)}/s, backlog 300: ${Math.round(small)}/s`);
  }
  console.log(verdict("rate at 30,000 against 300", median(ratios), 0.85, "higher"));
}

/** A queue of its own each time, forgotten afterwards, so that rounds do not meet each other's rows. */
async function rateAt(
  sql: pg.Pool,
  database: Database,
  tasks: number,
  workers: number,
  forSeconds = seconds,
): Promise<number> {
  const queue = await createQueueWorld(sql, database, tasks, 8);
  await startRuns(queue);
  await sql.query("analyze");
  const rate = await rateOfService(queue, workers, forSeconds);
  await sql.query("truncate public.agent_jobs, public.sprint_runs, public.agent_workers cascade");
  return rate;
}

const dataDir = await mkdtemp(join(tmpdir(), "backloom-bench-"));
try {
  await main(dataDir);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
