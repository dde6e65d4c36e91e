import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { connectDatabase } from "~/db/database.server";
import { claimAgentJob, reportAgentJob } from "~/domain/agent-jobs/operations.server";
import { getInbox } from "~/domain/inbox/operations.server";
import { getBacklogTree, getSprintBoard } from "~/domain/pages/operations.server";
import { getAgentContext, getNextStory } from "~/domain/products/operations.server";
import { listSprintTasks } from "~/domain/sprints/operations.server";
import { startCluster } from "../../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../../supabase/embedded/secrets";
import { startEmbeddedSupabase } from "../../../supabase/embedded/start";
import { createQueueWorld, type Queue, startRuns } from "../jobs/world";
import { median, verdict } from "../streams/statistics";

const tasks = Number(process.env.BENCH_TASKS ?? 1_000_000);
const repeats = Number(process.env.BENCH_ROUNDS ?? 60);
/** The tables that grow: reading one of them from end to end is a plan that does not last. */
const growing = ["tasks", "stories", "agent_jobs", "task_status_changes", "pbis"];

/** A session plans its first calls one by one before it keeps a plan. */
const warmUp = 10;

type Step = [name: string, run: (queue: Queue) => Promise<unknown>];

const steps: Step[] = [
  ["agent-context", (queue) => getAgentContext.json(queue.actor, { product_id: productOf(queue) })],
  ["next-story", (queue) => getNextStory.json(queue.actor, { product_id: productOf(queue) })],
  [
    "tasks of a sprint",
    (queue) => listSprintTasks.json(queue.actor, { sprint_id: sprintOf(queue), limit: 50 }),
  ],
  ["claim and complete", claimAndComplete],
  ["board", (queue) => getSprintBoard(queue.actor, { sprint_id: sprintOf(queue) })],
  ["backlog", (queue) => getBacklogTree(queue.actor, { product_id: productOf(queue) })],
  ["inbox", (queue) => getInbox(queue.actor, { state: "open", kinds: [] })],
];

interface Installation {
  queue: Queue;
  sql: pg.Pool;
  /** Opens a connection anew: one that began while all was small weighs plans by what they cost then, for hundreds of calls. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Two installations with a small product each; one of them has a million tasks more. What reads a growing table from end to end. */
async function main(): Promise<void> {
  const small = await install();
  const grown = await install();
  try {
    const began = performance.now();
    await createQueueWorld(grown.sql, grown.queue.actor.database, Math.ceil(tasks * 0.84), 100);
    await createQueueWorld(grown.sql, grown.queue.actor.database, Math.floor(tasks * 0.16), 1);
    console.log(`     ${tasks} tasks more, in ${Math.round((performance.now() - began) / 1000)} s`);
    for (const { sql, reconnect } of [small, grown]) {
      await sql.query("vacuum analyze");
      await reconnect();
    }
    for (const step of steps) {
      const [was, is] = await timesOf(step, small.queue, grown.queue);
      console.log(`     ${step[0]}: ${was.toFixed(2)} ms, then ${is.toFixed(2)} ms`);
      console.log(verdict(`${step[0]}, grown against small`, is / was, 1.3, "lower"));
    }
    for (const step of steps) await tellWholeReads(grown.sql, step, grown.queue);
  } finally {
    await Promise.all([small.close(), grown.close()]);
  }
}

async function install(): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-bench-"));
  const supabase = await startEmbeddedSupabase({ dataDir, upgrade: { say: console.log } });
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  // As `npm start` connects to the Postgres that it brings.
  const connect = () => connectDatabase({ ...supabase, connectionKind: "session" });
  const sql = new pg.Pool({ connectionString: cluster.url("supabase_admin", "postgres"), max: 4 });
  const queue = await createQueueWorld(sql, connect(), 160, 1);
  await startRuns(queue);
  return {
    queue,
    sql,
    async reconnect() {
      await queue.actor.database.close();
      queue.actor.database = connect();
    },
    async close() {
      await Promise.all([queue.actor.database.close(), sql.end()]);
      await cluster.stop();
      await supabase.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Medians of calls that take turns: a machine that others share gives more in one minute than in the next. */
async function timesOf(
  [, run]: Step,
  ...queues: readonly [Queue, Queue]
): Promise<[number, number]> {
  const taken: [number[], number[]] = [[], []];
  for (let n = -warmUp; n < repeats; n++) {
    for (const side of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const began = performance.now();
      await run(queues[side]);
      if (n >= 0) taken[side].push(performance.now() - began);
    }
  }
  return [median(taken[0]), median(taken[1])];
}

async function tellWholeReads(sql: pg.Pool, [name, run]: Step, queue: Queue): Promise<void> {
  // Sessions tell their counts once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await run(queue);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = await readsOf(sql);
  await run(queue);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await run(queue);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const after = await readsOf(sql);
  const whole = growing.filter((table) => (after.get(table) ?? 0) > (before.get(table) ?? 0));
  console.log(
    whole.length === 0
      ? `ok   ${name}: no table is read whole`
      : `MISS ${name} reads ${whole} whole`,
  );
}

async function readsOf(sql: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await sql.query<{ relname: string; seq_scan: string }>(
    "select relname, seq_scan from pg_stat_user_tables where relname = any ($1)",
    [growing],
  );
  return new Map(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
}

async function claimAndComplete(queue: Queue): Promise<void> {
  const { job } = await claimAgentJob(queue.actor, { worker: "growth" });
  if (!job) throw new Error("no job was left to claim");
  await reportAgentJob(queue.actor, {
    job_id: job.id,
    attempt: job.attempt,
    status: "done",
    verify_result: "ALIGNED",
  });
}

const productOf = ({ productIds: [id = ""] }: Queue) => id;
const sprintOf = ({ sprintIds: [id = ""] }: Queue) => id;

await main();
