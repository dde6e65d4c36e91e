import { join } from "node:path";
import { type Installation, withInstallation } from "../installation";
import { verdict } from "../streams/statistics";
import { isWanted } from "../wanted";
import { type Contest, compare } from "./compare";
import { type Dataset, fill } from "./dataset";
import { requestOf } from "./load";
import { hasPgbench, runPgbench } from "./pgbench";
import { memoryFloor, type Program, withBoth } from "./programs";

const products = Number(process.env.BENCH_PRODUCTS ?? 50);

/** A whole installation of its own, with the service and the reference program. */
async function main(installation: Installation): Promise<void> {
  const { sql, databaseUrl, adminUrl } = installation;
  console.log(`Filling ${products} products x 40 PBIs x 10 stories x 8 tasks ...`);
  const dataset = await fill(sql, products);
  const reference = join(import.meta.dirname, "bare-server.mjs");
  await withBoth(installation, [reference, databaseUrl], async (service, bare, pids) => {
    console.log(verdict("start to first answer in ms", service.startedWithin, 5_000, "lower"));
    for (const contest of contestsOf(dataset, service, bare, adminUrl)) {
      if (isWanted(contest.name)) await compare(contest, pids);
    }
    console.log(await memoryFloor("the calls", [service]));
    if (!hasPgbench()) console.log("pgbench is not installed: PATCH was compared with bare Node only");
  });
}

function contestsOf(dataset: Dataset, service: Program, bare: Program, adminUrl: string): Contest[] {
  const read = (path: () => string, name: string, connections: number, floors: Contest["floors"]): Contest => ({
    name: `${name}, ${connections} connections`,
    floors,
    connections,
    next: () => requestOf("GET", path(), dataset.credential),
    service: service.port,
    bare: bare.port,
  });
  const product = () => dataset.id("product", random(dataset.products));
  const sprint = () => dataset.id("sprint", random(dataset.products));
  const context = () => `/api/products/${product()}/agent-context`;
  const patch: Contest = {
    name: "PATCH task, 8 connections",
    floors: { requests: 0.55 },
    connections: 8,
    next: () => patchOf(dataset),
    service: service.port,
    bare: bare.port,
  };
  const pgbench = (seconds: number) => runPgbench(adminUrl, dataset, seconds);
  return [
    read(context, "agent-context", 32, { requests: 0.65 }),
    read(context, "agent-context", 1, { p50: 1.5 }),
    read(() => `/api/products/${product()}/next-story`, "next-story", 32, { requests: 0.55 }),
    read(() => `/api/sprints/${sprint()}/tasks`, "sprint tasks (10)", 32, { requests: 0.55 }),
    read(() => `/api/sprints/${sprint()}/tasks?limit=50`, "sprint tasks (50)", 32, { requests: 0.55 }),
    read(() => `/api/products/${product()}/backlog`, "backlog snapshot", 4, { requests: 0.75 }),
    patch,
    ...(hasPgbench()
      ? [{ ...patch, name: `${patch.name}, against pgbench`, floors: { requests: 0.4 }, bare: pgbench }]
      : []),
  ];
}

function patchOf(dataset: Dataset): Buffer {
  const status = Math.random() < 0.5 ? "todo" : "in_progress";
  const path = `/api/tasks/${dataset.id("task", random(dataset.tasks))}`;
  return requestOf("PATCH", path, dataset.credential, JSON.stringify({ status }));
}

/** A whole number from 1 to `last`. */
function random(last: number): number {
  return 1 + Math.floor(Math.random() * last);
}

await withInstallation(main);
