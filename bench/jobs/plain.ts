import type pg from "pg";
import { closedLoop } from "./closed-loop";

/**
 * The bare pair of statements that every queue on Postgres has at its heart: skip locked, then done. On a table with the columns,
 * constraints and indexes of the jobs, and no trigger. Jobs a second.
 */
export async function rateOfPlainQueue(
  sql: pg.Pool,
  backlog: number,
  workers: number,
  seconds: number,
): Promise<number> {
  await sql.query("drop table if exists public.bench_jobs");
  await sql.query("create table public.bench_jobs (like public.agent_jobs including all)");
  await sql.query(
    `insert into public.bench_jobs (product_id, task_id, kind, lane_id, position)
     select gen_random_uuid(), gen_random_uuid(), 'TASK_IMPLEMENTATION', gen_random_uuid(), n
     from generate_series(1, $1::integer) n`,
    [backlog],
  );
  await sql.query("create index on public.bench_jobs (created_at, position, id) where status = 'QUEUED'");
  await sql.query("analyze public.bench_jobs");
  const rate = await closedLoop(workers, seconds, async () => {
    const { rows } = await sql.query<{ id: string }>({
      name: "claim",
      text: `update public.bench_jobs set status = 'CLAIMED', attempt = attempt + 1, lease_until = now() + interval '5 minutes'
        where id = (select id from public.bench_jobs where status = 'QUEUED' order by created_at, position, id limit 1 for update skip locked)
        returning id`,
    });
    const job = rows[0];
    if (!job) return false;
    await sql.query({
      name: "complete",
      text: "update public.bench_jobs set status = 'DONE', finished_at = now(), lease_until = null where id = $1",
      values: [job.id],
    });
    return true;
  });
  await sql.query("drop table public.bench_jobs");
  return rate;
}
