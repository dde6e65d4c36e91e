import { setTimeout as pause } from "node:timers/promises";
import { atMost } from "../at-most";
import { doorOf } from "./patch";
import { type AppAddress, connectedAnswer, memoryAnswer, type Program } from "./processes";
import { verdict } from "./statistics";
import type { BenchWorld } from "./world";

const count = atMost(1000);
const idleSeconds = Number(process.env.BENCH_IDLE_SECONDS ?? 60);

/** Resident memory that 1,000 idle clients cost the app. */
export async function measureMemory(
  app: AppAddress,
  world: BenchWorld,
  { server, clients }: { server: Program; clients: Program },
): Promise<void> {
  const before = (await server.ask("memory", memoryAnswer)).memory;
  const { url, headers } = doorOf(app, world);
  await clients.ask({ kind: "connect", count, url, headers }, connectedAnswer);
  await pause(idleSeconds * 1000);
  const after = (await server.ask("memory", memoryAnswer)).memory;
  await clients.ask({ kind: "disconnect" }, connectedAnswer);
  const perClient = (after - before) / count / 1_048_576;
  console.log(verdict(`memory of a client in MB, ${count} idle clients`, perClient, 0.15, "lower"));
}
