import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { changeMessageSchema } from "~/wire/events";
import { followMessages } from "../../supabase/embedded/realtime/feed";
import { atMost } from "../at-most";
import { type Door, patchFor } from "./patch";
import { type AppAddress, arrivalsAnswer, connectedAnswer, type Program, sharedNow } from "./processes";
import { median, percentile, verdict } from "./statistics";
import type { BenchWorld } from "./world";

interface Shape {
  clients: number;
  perSecond: number;
  floors: { p50: number; p99: number };
}

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
  const door: Door = { origin: `http://127.0.0.1:${app.port}`, headers: { authorization: `Bearer ${world.token}` } };
  const { headers } = door;
  const url = `${door.origin}/api/realtime/solo?product_id=${world.productId}`;
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
    await patchFor(1, perSecond, door, world);
    await pause(300);
    await clients.ask({ kind: "arrivals", sent: [] }, arrivalsAnswer);
    bare.length = 0;

    const sent = await patchFor(seconds, perSecond, door, world);
    await pause(1000);
    const { latencies, last, deliveries } = await clients.ask({ kind: "arrivals", sent }, arrivalsAnswer);
    const reference = latenciesOf(sent, bare);
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

function latenciesOf(sent: readonly [string, number][], received: readonly [string, number][]): number[] {
  const waiting = new Map<string, number[]>();
  for (const [id, at] of sent) waiting.set(id, [...(waiting.get(id) ?? []), at]);
  const latencies: number[] = [];
  for (const [id, at] of received) {
    const sentAt = waiting.get(id)?.shift();
    if (sentAt !== undefined) latencies.push(at - sentAt);
  }
  return latencies;
}
