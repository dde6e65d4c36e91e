import { cpus } from "node:os";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { cpuUsage } from "../http/cpu";
import { fill } from "../http/dataset";
import { measure, requestOf } from "../http/load";
import { memoryFloor, type Program, startService } from "../http/programs";
import { type Installation, withInstallation } from "../installation";
import { createQueueWorld, startRuns } from "../jobs/world";
import { insertToken } from "../rows";
import { median, verdict } from "../streams/statistics";
import { startRelay } from "./start-relay";
import { rateOfWorkers } from "./worker-loop";

const counts = [1, 2, 4];
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const seconds = Number(process.env.BENCH_SECONDS ?? 3);
const workers = 16;
/** The start of a run of so many ends in time, also while the machine is busy. */
const jobsOfProduct = 500;

interface Round {
  perSecond: number;
  /** Processors that were busy for the service, for Postgres, for the asking, and for others. */
  app: number;
  postgres: number;
  asking: number;
  others: number;
}

/**
 * The same questions to one, two and four processes of the service behind one address and over one Postgres, turn about. On a machine
 * with few processors they take each other's: then what counts is what each does in a second of processor time.
 */
async function main(installation: Installation): Promise<void> {
  const { dataDir, sql, cluster } = installation;
  const dataset = await fill(sql, 10);
  const workerToken = await prepareQueue(installation);

  const services: Program[] = [];
  for (let n = 0; n < Math.max(...counts); n++) {
    services.push(await startService(dataDir, await findFreePort()));
  }
  const relay = await startRelay();
  const parts = {
    app: services.map(({ process: child }) => child.pid ?? 0),
    postgres: [cluster.pid()],
    relay: [relay.pid],
  };
  const context = () => {
    const product = dataset.id("product", 1 + Math.floor(Math.random() * dataset.products));
    return requestOf("GET", `/api/products/${product}/agent-context`, dataset.credential);
  };
  const loops: Record<string, (forSeconds: number) => Promise<number>> = {
    async "agent-context, 32 connections"(forSeconds) {
      const load = { port: relay.port, connections: 32, next: context };
      const { perSecond, failures } = await measure({ ...load, milliseconds: forSeconds * 1_000 });
      if (failures > 0) throw new Error(`${failures} answers were no success`);
      return perSecond;
    },
    [`claim and report, ${workers} workers`]: (forSeconds) =>
      rateOfWorkers(relay.port, workerToken, workers, forSeconds),
  };
  try {
    for (const [name, ask] of Object.entries(loops)) {
      const found = new Map<number, Round[]>(counts.map((count) => [count, []]));
      for (let round = 0; round <= rounds; round++) {
        for (const count of round % 2 === 0 ? counts : [...counts].reverse()) {
          await relay.lead(services.slice(0, count).map(({ port }) => port));
          const measured = await measureRound(parts, () => ask(round === 0 ? 2 * seconds : seconds));
          // The first turn only warms up.
          if (round > 0) found.get(count)?.push(measured);
        }
      }
      report(name, found);
    }
    console.log(await memoryFloor("contexts and reports", services));
  } finally {
    relay.stop();
    await Promise.all(services.map((service) => service.stop()));
  }
}

/** A person with a token, whose products have more jobs than all rounds need. */
async function prepareQueue({ sql, database }: Installation): Promise<string> {
  const jobs = Math.ceil((rounds + 2) * seconds * counts.length * 300);
  const products = Math.max(workers, Math.ceil(jobs / jobsOfProduct));
  const queue = await createQueueWorld(sql, database, jobs, products);
  await startRuns(queue);
  await sql.query("analyze");
  return insertToken(sql, queue.userId);
}

type Parts = Record<"app" | "postgres" | "relay", number[]>;

async function measureRound(parts: Parts, ask: () => Promise<number>): Promise<Round> {
  const processors = cpus().length;
  const names = ["app", "postgres", "relay"] as const;
  const read = () => Promise.all(names.map((name) => cpuUsage(parts[name])));
  const [before, own, began] = [await read(), process.cpuUsage(), performance.now()];
  const perSecond = await ask();
  const { user, system } = process.cpuUsage(own);
  const ownShare = (user + system) / 1_000 / (performance.now() - began);
  const after = await read();
  const grown = (n: number, part: "all" | "idle" | "ours") => (after[n]?.[part] ?? 0) - (before[n]?.[part] ?? 0);
  const busyWith = (n: number) => (grown(n, "ours") / Math.max(1, grown(n, "all"))) * processors;
  const [app, postgres, asking] = [busyWith(0), busyWith(1), busyWith(2) + ownShare];
  const busy = (1 - grown(0, "idle") / Math.max(1, grown(0, "all"))) * processors;
  const others = Math.max(0, busy - app - postgres - asking);
  return { perSecond, app, postgres, asking, others };
}

function report(name: string, found: Map<number, Round[]>): void {
  const one = found.get(1) ?? [];
  console.log(`\n${name}`);
  for (const [count, measured] of found) {
    const of = (part: keyof Round) => median(measured.map((round) => round[part])).toFixed(2);
    console.log(
      `     ${count}: ${of("perSecond")} a second; busy processors: service ${of("app")}, Postgres ${of("postgres")}, asking ${of("asking")}, others ${of("others")} of ${cpus().length}`,
    );
  }
  for (const [count, measured] of found) {
    if (count === 1) continue;
    const ratio = (value: (round: Round) => number) =>
      median(measured.map((round, n) => value(round) / value(one[n] ?? round)));
    const title = `${name}, ${count} processes against one`;
    console.log(`     ${title}: ${ratio((round) => round.perSecond).toFixed(2)}x a second`);
    const perTime = ratio((round) => round.perSecond / round.app);
    console.log(verdict(`${title}, in a second of the service's processor time`, perTime, 0.8, "higher"));
    const perQuery = ratio((round) => round.perSecond / round.postgres);
    console.log(`     ${title}, in a second of Postgres' processor time: ${perQuery.toFixed(2)}x`);
  }
}

await withInstallation(main);
