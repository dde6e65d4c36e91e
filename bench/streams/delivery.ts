import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { changeMessageSchema } from "~/wire/events";
import { followMessages } from "../../supabase/embedded/realtime/feed";
import { atMost } from "../at-most";
import { doorOf, patchFor } from "./patch";
import { type AppAddress, arrivalsAnswer, connectedAnswer, type Program, sharedNow } from "./processes";
import { latenciesOf, median, percentile, verdict } from "./statistics";
import type { BenchWorld } from "./world";

type Shape = { clients: number; perSecond: number; floors: { p50: number; p99: number } };

const taskSchema = z.object({ entity: z.literal("task"), id: z.string() });
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const shapes: Shape[] = [
  { clients: 1, perSecond: 20, floors: { p50: 2, p99: 2 } },
  { clients: 1, perSecond: 100, floors: { p50: 2, p99: 2 } },
  { clients: atMost(100), perSecond: 20, floors: { p50: 2, p99: 2 } },
  { clients: atMost(100), perSecond: 100, floors: { p50: 2, p99: 2 } },
  { clients: atMost(1000), perSecond: 5, floors: { p50: 6, p99: 3 } },
  { clients: atMost(1000), perSecond: 20, floors: { p50: 6, p99: 3 } },
];

/**
 * From a PATCH that is sent to the bytes at the clients, against a bare replication reader that hears of the same
 * PATCH in the same run. Open loop: the next PATCH does not wait for the one before.
 */
export async function measureDelivery(app: AppAddress, world: BenchWorld, clients: Program) {
  const { origin, headers, url } = doorOf(app, world);
  const bare: [string, number][] = [];
  const feed = followMessages(app.feedUrl, {
    onMessage({ payload }) {
      const at = sharedNow();
      for (const event of changeMessageSchema.parse(payload).events) {
        const task = taskSchema.safeParse(event);
        if (task.success) bare.push([task.data.id, at]);
      }
    },
    onInterruption() {},
    onReturn() {},
  });
  await feed.begun;

  for (const { clients: count, perSecond, floors } of shapes) {
    await clients.ask({ kind: "connect", count, url, headers }, connectedAnswer);
    await patchFor(1, perSecond, origin, world);
    await pause(300);
    await clients.ask({ kind: "arrivals", sent: [] }, arrivalsAnswer);
    bare.length = 0;

    const sent = await patchFor(seconds, perSecond, origin, world);
    await pause(1000);
    const { latencies, last, deliveries } = await clients.ask({ kind: "arrivals", sent }, arrivalsAnswer);
    const reference = latenciesOf(sent, bare).map(({ milliseconds }) => milliseconds);
    const name = `PATCH to SSE, ${count} clients, ${perSecond}/s`;
    console.log(
      `     ${name}: p50 ${median(latencies).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms, last client p50 ${median(last).toFixed(1)} ms; bare p50 ${median(reference).toFixed(1)} ms, p99 ${percentile(reference, 0.99).toFixed(1)} ms`,
    );
    const ratio = (share: number) => percentile(latencies, share) / percentile(reference, share);
    console.log(verdict(`${name}, p50 against bare`, ratio(0.5), floors.p50, "lower"));
    console.log(verdict(`${name}, p99 against bare`, ratio(0.99), floors.p99, "lower"));
    console.log(verdict(`${name}, delivered share`, deliveries / (sent.length * count), 1, "higher"));
    await clients.ask({ kind: "disconnect" }, connectedAnswer);
  }
  await feed.stop();
}
