import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { atMost } from "../at-most";
import { openLoop } from "./open-loop";
import { doorOf } from "./patch";
import {
  type AppAddress,
  allAnswer,
  arrivalsAnswer,
  bareReady,
  connectedAnswer,
  Program,
  sharedNow,
} from "./processes";
import { median, percentile, verdict } from "./statistics";
import type { BenchWorld } from "./world";

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const changesPerStatement = 50;
const statements = 20;

/** Bursts of 50 changes a statement to all clients, the app and the bare program in turn. */
export async function measureFanOut(app: AppAddress, world: BenchWorld, clients: Program, sql: pg.Pool) {
  const bareProgram = new Program("bare-fan-out", [app.feedUrl]);
  const { ready } = await bareProgram.answer(bareReady);
  const query = `product_id=${world.productId}&user_id=${world.userId}`;
  const variants = [
    { name: "app", ...doorOf(app, world) },
    { name: "bare", url: `http://127.0.0.1:${ready.port}/?${query}`, headers: {} },
  ];

  for (const count of [atMost(100), atMost(1000)]) {
    const rates: Record<string, number[]> = { app: [], bare: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const { name, url, headers } of variants) {
        await clients.ask({ kind: "connect", count, url, headers }, connectedAnswer);
        const rate = await burst(sql, world, clients, count);
        // The first round only warms up.
        if (round > 0) rates[name]?.push(rate);
        await clients.ask({ kind: "disconnect" }, connectedAnswer);
      }
    }
    const ratios = (rates.app ?? []).map((rate, round) => rate / (rates.bare?.[round] ?? 1));
    console.log(
      `     fan-out to ${count} clients: app ${Math.round(median(rates.app ?? []))}/s, bare ${Math.round(median(rates.bare ?? []))}/s, ratio min ${Math.min(...ratios).toFixed(2)} max ${Math.max(...ratios).toFixed(2)}`,
    );
    console.log(verdict(`fan-out to ${count} clients against bare`, median(ratios), 0.8, "higher"));
  }
  await bareProgram.stop();
  await measureSteadyFanOut(app, world, clients, sql);
}

async function burst(sql: pg.Pool, { taskIds }: BenchWorld, clients: Program, count: number) {
  const expected = count * changesPerStatement * statements;
  await clients.ask({ kind: "expect", deliveries: expected }, connectedAnswer);
  const all = clients.answer(allAnswer);
  const startedAt = sharedNow();
  for (let n = 0; n < statements; n++) {
    await change(sql, taskIds.slice(0, changesPerStatement), n);
  }
  const { allAt } = await all;
  return expected / ((allAt - startedAt) / 1000);
}

function change(sql: pg.Pool, ids: readonly string[], n: number) {
  return sql.query("update public.tasks set title = $1 where id = any($2)", [`title ${n} ${Math.random()}`, ids]);
}

/** 500 clients, 64 changes per second, one statement each. */
async function measureSteadyFanOut(app: AppAddress, world: BenchWorld, clients: Program, sql: pg.Pool): Promise<void> {
  const count = atMost(500);
  const perSecond = 64;
  const { url, headers } = doorOf(app, world);
  await clients.ask({ kind: "connect", count, url, headers }, connectedAnswer);
  await clients.ask({ kind: "arrivals", sent: [] }, arrivalsAnswer);
  const sent: [string, number][] = [];
  await openLoop({ seconds, perSecond }, (n) => {
    const id = world.taskIds[n % world.taskIds.length] ?? "";
    sent.push([id, sharedNow()]);
    return change(sql, [id], n);
  });
  await pause(1000);
  const { latencies, deliveries } = await clients.ask({ kind: "arrivals", sent }, arrivalsAnswer);
  await clients.ask({ kind: "disconnect" }, connectedAnswer);
  const name = `${count} clients, ${perSecond} changes/s`;
  console.log(verdict(`${name}, p95 in ms`, percentile(latencies, 0.95), 184, "lower"));
  console.log(verdict(`${name}, delivered share`, deliveries / (sent.length * count), 1, "higher"));
}
