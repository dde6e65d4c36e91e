import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { medianRatio, verdict } from "./statistics";
import type { BenchWorld } from "./world";

const writers = 8;
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);

/** Updates a second with 8 writers, with the event of each and without, in turn. */
export async function measureUpdateRate(sqlUrl: string, world: BenchWorld): Promise<void> {
  const sql = new pg.Pool({ connectionString: sqlUrl, max: writers + 1 });
  const measure = async () => {
    await sql.query("alter table public.tasks disable trigger _900_emit");
    const without = await rate(sql, world);
    await sql.query("alter table public.tasks enable trigger _900_emit");
    return [await rate(sql, world), without] as const;
  };
  const ratio = await medianRatio(rounds, measure, (ours, bare) => `updates: ${ours}/s with events, ${bare}/s without`);
  await sql.end();
  console.log(verdict(`updates with events against without, ${writers} writers`, ratio, 0.6, "higher"));
}

async function rate(sql: pg.Pool, { taskIds }: BenchWorld): Promise<number> {
  let done = 0;
  let isOver = false;
  const running = Array.from({ length: writers }, async () => {
    while (!isOver) {
      const id = taskIds[Math.floor(Math.random() * taskIds.length)];
      await sql.query("update public.tasks set title = $1 where id = $2", [`t ${Math.random()}`, id]);
      done += 1;
    }
  });
  await pause(500);
  done = 0;
  const startedAt = performance.now();
  await pause(seconds * 1000);
  const perSecond = done / ((performance.now() - startedAt) / 1000);
  isOver = true;
  await Promise.all(running);
  return perSecond;
}
