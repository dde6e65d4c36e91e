import pg from "pg";
import type { Database } from "~/db/database.server";
import { atMost } from "../at-most";
import { type Installation, withInstallation } from "../installation";
import { areRivalsInstalled } from "../rivals/installed";
import { medianRatio, verdict } from "../streams/statistics";
import { isWanted } from "../wanted";
import { compareDispatch } from "./dispatch";
import { rateOfService } from "./ours";
import { rateOfPlainQueue } from "./plain";
import { measureRunStart } from "./run-start";
import { createQueueWorld, startRuns } from "./world";

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const products = Number(process.env.BENCH_PRODUCTS ?? 30);

/** What the queue of jobs costs, as ratios to bare statements in the same run. */
async function main({ adminUrl, database, sql }: Installation): Promise<void> {
  const turns = { rounds, seconds };
  const [many, few] = [
    { backlog: atMost(30_000), products },
    { backlog: atMost(3_000), products: 1 },
  ];
  const parts: Record<string, () => Promise<void>> = {
    async plain() {
      for (const workers of [1, 8]) await compareWithPlain(sql, database, workers);
    },
    queues: () => compareWithQueues(sql, database, () => new pg.Pool({ connectionString: adminUrl, max: 10 })),
    backlogs: () => compareBacklogs(sql, database),
    dispatch: () => compareDispatch(sql, database, { ...turns, ...many, ledger: 0, against: ["edges", "budgets"] }),
    ledger: () => compareDispatch(sql, database, { ...turns, ...few, ledger: atMost(100_000), against: ["budgets"] }),
    start: () => measureRunStart(sql, database, rounds),
  };
  for (const [name, measure] of Object.entries(parts)) {
    if (isWanted(name)) await measure();
  }
}

async function compareWithPlain(sql: pg.Pool, database: Database, workers: number) {
  const measure = async () => {
    const ours = await rateAt(sql, database, atMost(10_000), workers);
    return [ours, await rateOfPlainQueue(sql, atMost(60_000), workers, seconds)] as const;
  };
  const say = (ours: number, plain: number) => `${workers} workers: ${ours} jobs/s, plain ${plain}/s`;
  const name = `claim + complete against the plain pair, ${workers} workers`;
  console.log(verdict(name, await medianRatio(rounds, measure, say), 0.15, "higher"));
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
    const measure = async () => {
      const ours = await rateAt(sql, database, atMost(10_000), 8);
      const pool = openPool();
      const theirs = await rateOf(pool, 10_000, 8, seconds);
      await pool.end();
      return [ours, theirs] as const;
    };
    const ratio = await medianRatio(rounds, measure, (ours, theirs) => `${ours} jobs/s, ${name} ${theirs}/s`);
    console.log(verdict(`claim + complete against ${name}, 8 workers, backlog 10,000`, ratio, floor, "higher"));
  }
}

async function compareBacklogs(sql: pg.Pool, database: Database) {
  const measure = async () => {
    const small = await rateAt(sql, database, atMost(300), 8, Math.min(0.5, seconds));
    return [await rateAt(sql, database, atMost(30_000), 8), small] as const;
  };
  const say = (large: number, small: number) => `backlog 30,000: ${large}/s, backlog 300: ${small}/s`;
  console.log(verdict("rate at 30,000 against 300", await medianRatio(rounds, measure, say), 0.85, "higher"));
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

await withInstallation(main);
