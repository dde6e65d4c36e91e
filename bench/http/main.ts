import { join } from "node:path";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { type Installation, withInstallation } from "../installation";
import { verdict } from "../streams/statistics";
import { type Contest, compare } from "./compare";
import { type Dataset, fill } from "./dataset";
import { hasPgbench, runPgbench } from "./pgbench";
import { memoryFloor, type Program, startReference, startService } from "./programs";

const products = Number(process.env.BENCH_PRODUCTS ?? 50);

/** With words as arguments only the comparisons whose name contains one of them run. */
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part));

/** A whole installation of its own, with the service and the reference program. */
async function main({ dataDir, databaseUrl, adminUrl, cluster }: Installation): Promise<void> {
  print(`Filling ${products} products x 40 PBIs x 10 stories x 8 tasks ...`);
  const dataset = await fill(adminUrl, products);

  const service = await startService(dataDir, await findFreePort());
  const bare = await startReference(join(import.meta.dirname, "bare-server.mjs"), databaseUrl);
  const pids = [process.pid, cluster.pid(), service.process.pid ?? 0, bare.process.pid ?? 0];
  try {
    print(verdict("start to first answer in ms", service.startedWithin, 5_000, "lower"));
    for (const contest of contestsOf(dataset, service, bare)) {
      if (isWanted(contest.name)) await compare(contest, pids);
    }
    if (isWanted("PATCH") && hasPgbench()) await comparePatch(dataset, service, adminUrl, pids);
    print(await memoryFloor("the calls", [service]));
    if (!hasPgbench()) print("pgbench is not installed: PATCH was compared with bare Node only");
  } finally {
    await Promise.all([service.stop(), bare.stop()]);
  }
}

function contestsOf(dataset: Dataset, service: Program, bare: Program): Contest[] {
  const read = (path: () => string, name: string, connections: number, floors: Contest["floors"]): Contest => ({
    name: `${name}, ${connections} connections`,
    floors,
    connections,
    next: () => requestOf("GET", path(), dataset.token),
    service: service.port,
    bare: bare.port,
  });
  const product = () => dataset.id("product", random(dataset.products));
  const sprint = () => dataset.id("sprint", random(dataset.products));
  const context = () => `/api/products/${product()}/agent-context`;
  return [
    read(context, "agent-context", 32, { requests: 0.65 }),
    read(context, "agent-context", 1, { p50: 1.5 }),
    read(() => `/api/products/${product()}/next-story`, "next-story", 32, { requests: 0.55 }),
    read(() => `/api/sprints/${sprint()}/tasks`, "sprint tasks (10)", 32, { requests: 0.55 }),
    read(() => `/api/sprints/${sprint()}/tasks?limit=50`, "sprint tasks (50)", 32, { requests: 0.55 }),
    read(() => `/api/products/${product()}/backlog`, "backlog snapshot", 4, { requests: 0.75 }),
    {
      name: "PATCH task, 8 connections",
      floors: { requests: 0.55 },
      connections: 8,
      next: () => patchOf(dataset),
      service: service.port,
      bare: bare.port,
    },
  ];
}

function comparePatch(dataset: Dataset, service: Program, adminUrl: string, pids: readonly number[]): Promise<void> {
  return compare(
    {
      name: "PATCH task, 8 connections, against pgbench",
      floors: { requests: 0.4 },
      connections: 8,
      next: () => patchOf(dataset),
      service: service.port,
      bare: (seconds) => runPgbench(adminUrl, dataset, seconds),
    },
    pids,
  );
}

function patchOf(dataset: Dataset): Buffer {
  const status = Math.random() < 0.5 ? "todo" : "in_progress";
  const path = `/api/tasks/${dataset.id("task", random(dataset.tasks))}`;
  return requestOf("PATCH", path, dataset.token, JSON.stringify({ status }));
}

function requestOf(method: string, path: string, token: string, body = ""): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    ...(body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** A whole number from 1 to `last`. */
function random(last: number): number {
  return 1 + Math.floor(Math.random() * last);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await withInstallation(main);
