import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { cpuUsage, shareOfOthers } from "../http/cpu";
import { median, millisecondsOf, verdict } from "../streams/statistics";
import { growCrowd } from "./crowd";
import { crowdTables } from "./crowd-rows";
import { type Installation, install } from "./installation";
import { type Question, questions } from "./questions";

const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(100_000, 1_000_000);
const products = Number(process.env.BENCH_PRODUCTS ?? 1_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 100);

/** A session plans its first calls one by one before it keeps a plan. */
const warmUp = 20;

/**
 * The questions asked most, in two installations with the same small team: one has no one else, the other one has more
 * and more tasks of others, with all that years of work leave behind.
 */
async function main(): Promise<void> {
  const jobs = (rounds + warmUp + 5) * sizes.length + 100;
  const alone = await install(jobs);
  const grown = await install(jobs);
  try {
    let from = 0;
    for (const to of sizes) {
      await alone.sql.query("vacuum analyze");
      await alone.whileClosed(async () => undefined);
      await grown.whileClosed(() => printTime(to, () => growCrowd(grown.dataDir, products, { from, to })));
      from = to;
      await printSize(grown.sql, to);
      for (const question of questions) await compare(question, alone, grown, to);
    }
    for (const question of questions) await printWholeReads(grown, question);
  } finally {
    await Promise.all([alone.remove(), grown.remove()]);
  }
}

async function printTime(to: number, work: () => Promise<void>): Promise<void> {
  const seconds = Math.round((await millisecondsOf(work)) / 1000);
  console.log(`     ${to} tasks of others in ${products} products, made in ${seconds} s`);
}

async function printSize(sql: pg.Pool, to: number): Promise<void> {
  const { rows } = await sql.query<{ size: string; jobs: string; history: string }>(
    `select pg_size_pretty(pg_database_size(current_database())) as size,
       (select reltuples::bigint from pg_class where oid = 'public.agent_jobs'::regclass) as jobs,
       (select reltuples::bigint from pg_class where oid = 'public.task_status_changes'::regclass) as history`,
  );
  const { size, jobs, history } = rows[0] ?? {};
  console.log(`     at ${to}: ${size}, about ${jobs} jobs and ${history} changes of status`);
}

/** Medians of calls that take turns: a machine that others share gives more in one minute than in the next. */
async function compare(question: Question, alone: Installation, grown: Installation, to: number): Promise<void> {
  const [name, ask] = question;
  const taken: [number[], number[]] = [[], []];
  const sides = [alone, grown] as const;
  await forgetLimits(sides);
  const pids = [process.pid, ...sides.map((side) => side.pid())];
  const before = await cpuUsage(pids);
  for (let n = -warmUp; n < rounds; n++) {
    for (const side of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const took = await millisecondsOf(() => ask(sides[side].team, n));
      if (n >= 0) taken[side].push(took);
    }
  }
  const others = Math.round(shareOfOthers(before, await cpuUsage(pids)) * 100);
  const [was, is] = [median(taken[0]), median(taken[1])];
  console.log(
    `${verdict(`${name}, at ${to} against empty`, is / was, 1.5, "lower")}  ${was.toFixed(2)} ms, ${is.toFixed(2)} ms, others ${others} %`,
  );
}

/** No one asks as often as a benchmark. */
async function forgetLimits(sides: readonly Installation[]): Promise<void> {
  for (const { sql } of sides) await sql.query("delete from public.rate_limit_counters");
}

async function printWholeReads({ sql, team }: Installation, [name, ask]: Question): Promise<void> {
  // Sessions tell their counts once a second.
  await pause(1_500);
  await ask(team, 0);
  await pause(500);
  const before = await readsOf(sql);
  await ask(team, 1);
  await pause(1_500);
  await ask(team, 0);
  await pause(500);
  const after = await readsOf(sql);
  const whole = crowdTables.filter((table) => (after.get(table) ?? 0) > (before.get(table) ?? 0));
  console.log(
    verdict(`${name}: tables read whole${whole.map((table) => ` ${table}`).join()}`, whole.length, 0, "lower"),
  );
}

async function readsOf(sql: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ relname: string; seq_scan: string }>(
    "select relname, seq_scan from pg_stat_user_tables where relname = any ($1)",
    [crowdTables],
  );
  return new Map(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
}

await main();
