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
const repeats = Number(process.env.BENCH_ROUNDS ?? 15);
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

/** A small product before and after the installation has a million tasks, and what reads a growing table from end to end. */
async function main(dataDir: string): Promise<void> {
  const supabase = await startEmbeddedSupabase({ dataDir, upgrade: { say: console.log } });
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password });
  // As `npm start` connects to the Postgres that it brings.
  const connect = () => connectDatabase({ ...supabase, connectionKind: "session" });
  const database = connect();
  const later = connect();
  const sql = new pg.Pool({ connectionString: cluster.url("supabase_admin", "postgres"), max: 4 });
  try {
    const small = await createQueueWorld(sql, database, 160, 1);
    await startRuns(small);
    await sql.query("vacuum analyze");
    const before = await timesOf(small);
    const began = performance.now();
    await createQueueWorld(sql, database, Math.ceil(tasks * 0.84), 100);
    await createQueueWorld(sql, database, Math.floor(tasks * 0.16), 1);
    await sql.query("vacuum analyze");
    console.log(`     ${tasks} tasks more, in ${Math.round((performance.now() - began) / 1000)} s`);
    // Sessions that began while all was small weigh plans by what they cost then, for hundreds of calls.
    const grown = { ...small, actor: { ...small.actor, database: later } };
    const after = await timesOf(grown);
    for (const [name] of steps) {
      const [was = Number.NaN, is = Number.NaN] = [before.get(name), after.get(name)];
      console.log(`     ${name}: ${was.toFixed(1)} ms, then ${is.toFixed(1)} ms`);
      console.log(verdict(`${name}, grown against small`, is / was, 1.3, "lower"));
    }
    for (const step of steps) await tellWholeReads(sql, step, grown);
  } finally {
    await sql.end();
    await Promise.all([database.close(), later.close()]);
    await cluster.stop();
    await supabase.stop();
  }
}

async function timesOf(queue: Queue): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const [name, run] of steps) {
    const taken: number[] = [];
    for (let n = -warmUp; n < repeats; n++) {
      const began = performance.now();
      await run(queue);
      if (n >= 0) taken.push(performance.now() - began);
    }
    times.set(name, median(taken));
  }
  return times;
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

const dataDir = await mkdtemp(join(tmpdir(), "backloom-bench-"));
try {
  await main(dataDir);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
