import type pg from "pg";
import { closedLoop } from "../jobs/closed-loop";
import { medianRatio, verdict } from "./statistics";
import type { BenchWorld } from "./world";

const writers = 8;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);

/** Updates a second with 8 writers, with the event of each and without, in turn. */
export async function measureUpdateRate(sql: pg.Pool, world: BenchWorld): Promise<void> {
  const measure = async () => {
    await sql.query("alter table public.tasks disable trigger _900_emit");
    const without = await rate(sql, world);
    await sql.query("alter table public.tasks enable trigger _900_emit");
    return [await rate(sql, world), without] as const;
  };
  const ratio = await medianRatio(rounds, measure, (ours, bare) => `updates: ${ours}/s with events, ${bare}/s without`);
  console.log(verdict(`updates with events against without, ${writers} writers`, ratio, 0.6, "higher"));
}

async function rate(sql: pg.Pool, { taskIds }: BenchWorld): Promise<number> {
  const update = async () => {
    const id = taskIds[Math.floor(Math.random() * taskIds.length)];
    await sql.query("update public.tasks set title = $1 where id = $2", [`t ${Math.random()}`, id]);
    return true;
  };
  await closedLoop(writers, 0.5, update);
  return closedLoop(writers, seconds, update);
}
