import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { cpuUsage } from "../http/cpu";
import { cookieOf } from "../pages/dataset";
import { pastTriggers } from "../rows";
import { jsonRequest } from "../worker-tools";
import { openLoop } from "./open-loop";
import { doorOf, patchFor } from "./patch";
import { type AppAddress, arrivalsAnswer, connectedAnswer, type Program } from "./processes";
import { median, percentile, verdict } from "./statistics";
import { type BenchWorld, createBenchWorld } from "./world";

const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const jobCount = 4;
const entriesPerMinute = 10_000;
const boardViewers = 50;
const viewersPerJob = 5;
const patchesPerSecond = 10;
const boardsPerSecond = 1;

const millisecondsOfTick = 10;

interface Scene {
  door: ReturnType<typeof doorOf>;
  boardUrl: string;
  cookie: string;
  world: BenchWorld;
  jobs: { id: string; lastSeq: number }[];
  pids: readonly number[];
}

interface Round {
  board: number[];
  stream: number[];
  deliveredShare: number;
  /** Of service and database, in milliseconds for each second. */
  processorTime: number;
}

/** Board and stream of a product while four of its jobs say 10,000 entries a minute, and while no one says anything, in turn. */
export async function measureOutput(app: AppAddress, clients: Program, sql: pg.Pool): Promise<void> {
  const scene = await prepare(app, sql);
  await connectViewers(scene, clients);
  const silent: Round[] = [];
  const spoken: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    const without = await measureRound(scene, clients, async () => {});
    const withOutput = await measureRound(scene, clients, () => speak(scene));
    // The first round only warms up.
    if (round === 0) continue;
    silent.push(without);
    spoken.push(withOutput);
  }
  await clients.ask({ kind: "disconnect" }, connectedAnswer);
  report(silent, spoken);
  await checkKept(sql, scene);
}

async function prepare(app: AppAddress, sql: pg.Pool): Promise<Scene> {
  const world = await createBenchWorld(sql, 50);
  const jobs = await createJobs(sql, world);
  const door = doorOf(app, world);
  return {
    door,
    boardUrl: `${door.origin}/products/${world.productId}/sprints/${world.sprintId}`,
    cookie: await cookieOf(sql, world.userId, app.sessionSecret),
    world,
    jobs,
    pids: app.pids,
  };
}

/** Jobs that a worker of this user holds, past the triggers: only a sprint run makes them otherwise. */
async function createJobs(sql: pg.Pool, { userId, productId, taskIds }: BenchWorld) {
  return pastTriggers(sql, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `with worker as (insert into public.agent_workers (user_id, name) values ($1, 'bench') returning id)
       insert into public.agent_jobs (product_id, task_id, kind, status, lane_id, attempt, worker_id, claimed_at, lease_until)
       select $2, task_id, 'TASK_IMPLEMENTATION', 'RUNNING', task_id, 1, worker.id, now(), now() + interval '1 day'
       from worker, unnest($3::uuid[]) as task_id returning id`,
      [userId, productId, taskIds.slice(0, jobCount)],
    );
    return rows.map(({ id }) => ({ id, lastSeq: 0 }));
  });
}

async function connectViewers({ door, world, jobs }: Scene, clients: Program): Promise<void> {
  const { origin, headers } = door;
  const connect = (count: number, path: string) =>
    clients.ask({ kind: "connect", count, url: `${origin}${path}`, headers }, connectedAnswer);
  await connect(boardViewers, `/api/realtime/backlog?product_id=${world.productId}&live=1`);
  for (const { id } of jobs) await connect(viewersPerJob, `/api/realtime/job?job_id=${id}`);
}

async function measureRound(
  { door, boardUrl, cookie, world, pids }: Scene,
  clients: Program,
  meanwhile: () => Promise<void>,
): Promise<Round> {
  await clients.ask({ kind: "arrivals", sent: [] }, arrivalsAnswer);
  const board: number[] = [];
  const readBoard = async () => {
    const startedAt = performance.now();
    const answer = await fetch(boardUrl, { headers: { cookie }, redirect: "manual" });
    await answer.text();
    if (answer.status !== 200) throw new Error(`The board answers ${answer.status}`);
    board.push(performance.now() - startedAt);
  };
  const before = await cpuUsage(pids);
  const startedAt = performance.now();
  const [sent] = await Promise.all([
    patchFor(seconds, patchesPerSecond, door.origin, world),
    openLoop({ seconds, perSecond: boardsPerSecond }, readBoard),
    meanwhile(),
  ]);
  await pause(1_000);
  const ticks = ((await cpuUsage(pids))?.ours ?? Number.NaN) - (before?.ours ?? 0);
  const took = (performance.now() - startedAt) / 1_000;
  const { latencies, deliveries } = await clients.ask({ kind: "arrivals", sent }, arrivalsAnswer);
  return {
    board,
    stream: latencies,
    deliveredShare: deliveries / (sent.length * boardViewers),
    processorTime: (ticks * millisecondsOfTick) / took,
  };
}

/** Each job sends a batch a second, as our worker does, with what came together since the one before. */
async function speak({ door, world, jobs }: Scene): Promise<void> {
  let due = 0;
  await openLoop({ seconds, perSecond: jobCount }, async (n) => {
    const job = jobs[n % jobs.length];
    if (!job) return;
    due += entriesPerMinute / 60 / jobCount;
    const count = Math.floor(due);
    due -= count;
    const first = job.lastSeq + 1;
    job.lastSeq += count;
    const entries = Array.from({ length: count }, (_, index) => entry(first + index));
    const output = jsonRequest(world.token, "POST", { attempt: 1, entries });
    const answer = await fetch(`${door.origin}/api/jobs/${job.id}/output`, output);
    if (answer.status !== 202) throw new Error(`Output: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  });
}

function entry(seq: number) {
  return {
    seq,
    at: new Date().toISOString(),
    kind: "command",
    title: `npm test -- part-${seq}`,
    status: "completed",
    text: `Line ${seq} of what a command printed. `.repeat(10),
  };
}

function report(silent: readonly Round[], spoken: readonly Round[]): void {
  for (const what of ["board", "stream"] as const) {
    for (const share of [0.5, 0.95]) {
      const of = (all: readonly Round[]) => all.map((round) => percentile(round[what], share));
      const before = of(silent);
      const ratios = of(spoken).map((value, round) => value / (before[round] ?? Number.NaN));
      const name = `${what} beside ${entriesPerMinute} entries a minute, p${share * 100}`;
      console.log(
        `     ${name}: ${median(of(spoken)).toFixed(1)} ms, without ${median(before).toFixed(1)} ms, ratios ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}`,
      );
      console.log(verdict(`${name}, against without`, median(ratios), 1.2, "lower"));
    }
  }
  const time = (all: readonly Round[]) => median(all.map((round) => round.processorTime)).toFixed(0);
  console.log(
    `     processor time of service and database: ${time(spoken)} ms a second, without output ${time(silent)}`,
  );
  const delivered = Math.min(...[...silent, ...spoken].map((round) => round.deliveredShare));
  console.log(verdict("changes beside output, delivered share", delivered, 1, "higher"));
}

async function checkKept(sql: pg.Pool, { jobs }: Scene): Promise<void> {
  const { rows } = await sql.query<{ kept: string }>(
    "select count(*) as kept from public.job_outputs where job_id = any($1)",
    [jobs.map(({ id }) => id)],
  );
  const sent = jobs.reduce((sum, { lastSeq }) => sum + lastSeq, 0);
  console.log(verdict("entries kept, share", Number(rows[0]?.kept) / sent, 1, "higher"));
}
