import type pg from "pg";
import { closedLoop } from "./closed-loop";

/** The bare pair of statements that every queue on Postgres has at its heart: skip locked, then done. Jobs a second. */
export async function rateOfPlainQueue(
  sql: pg.Pool,
  backlog: number,
  workers: number,
  seconds: number,
): Promise<number> {
  await sql.query("drop table if exists public.bench_jobs");
  await sql.query(
    "create table public.bench_jobs (id bigint generated always as identity primary key, status text not null default 'QUEUED', position integer, lease_until timestamptz)",
  );
  await sql.query("create index on public.bench_jobs (position, id) where status = 'QUEUED'");
  await sql.query(
    "insert into public.bench_jobs (position) select n from generate_series(1, $1::integer) n",
    [backlog],
  );
  await sql.query("analyze public.bench_jobs");
  const rate = await closedLoop(workers, seconds, async () => {
    const { rows } = await sql.query<{ id: string }>({
      name: "claim",
      text: `update public.bench_jobs set status = 'CLAIMED', lease_until = now() + interval '5 minutes'
        where id = (select id from public.bench_jobs where status = 'QUEUED' order by position, id limit 1 for update skip locked)
        returning id`,
    });
    const job = rows[0];
    if (!job) return false;
    await sql.query({
      name: "complete",
      text: "update public.bench_jobs set status = 'DONE' where id = $1",
      values: [job.id],
    });
    return true;
  });
  await sql.query("drop table public.bench_jobs");
  return rate;
}
