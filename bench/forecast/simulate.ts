import type pg from "pg";
import type { Database } from "~/db/database.server";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getMeets, saveChangeIndex } from "~/nouns/forecasts/operations.server";
import { indexLimits, type KnownChange } from "~/wire/forecasts/contract";
import { git } from "../../worker/git/git";
import { createQueueWorld, startRuns } from "../jobs/world";
import { median, millisecondsOf } from "../streams/statistics";

interface Simulation {
  folder: string;
  /** Oldest first; the last ones are the tasks. */
  changes: readonly KnownChange[];
  tasks: number;
  workers: number;
}

type Running = { task: number; job: { job_id: string; attempt: number }; until: number };

/** Workers claim real changes as tasks, with and without avoid_overlap: how often work meets work on the same files. */
export async function simulate(sql: pg.Pool, database: Database, simulation: Simulation): Promise<void> {
  for (const avoid of [false, true]) {
    const { pairs, tasks, lines, passed, late, waited, claims, five } = await run(sql, database, simulation, avoid);
    console.log(
      `  ${simulation.workers} workers, ${avoid ? "avoid_overlap" : "by order     "}: ${pairs} overlaps (${tasks} tasks), ${lines} on the same lines, passed over at most ${passed}, at most ${late} claims late; all done after ${waited.end}, begun after ${waited.mean} on average; a claim ${claims} ms, the forecasts of five tasks ${five} ms`,
    );
  }
}

async function run(
  sql: pg.Pool,
  database: Database,
  { folder, changes, tasks: count, workers }: Simulation,
  avoid: boolean,
) {
  const tasks = changes.slice(-count);
  const known = changes
    .slice(0, changes.length - tasks.length)
    .slice(-indexLimits.changes)
    .reverse();
  const world = await createQueueWorld(sql, database, tasks.length, 1, 1);
  const { actor, productIds } = world;
  const product_id = productIds[0] ?? "";
  await sql.query("update products set avoid_overlap = $2 where id = $1", [product_id, avoid]);
  await sql.query(
    `update tasks t set title = left(x.title, 200) from unnest($2::text[]) with ordinality x (title, n)
     where t.product_id = $1 and t.code = 'T-' || x.n`,
    [product_id, tasks.map(({ title }) => title || "-")],
  );
  const head_sha = known[0]?.sha ?? "0".repeat(40);
  await saveChangeIndex(actor, { product_id, repository: "", head_sha, changes: known });
  const { rows: shown } = await sql.query<{ id: string }>("select id from tasks where product_id = $1 limit 5", [
    product_id,
  ]);
  const readFive = () => getMeets(actor, { product_id, task_ids: shown.map(({ id }) => id) });
  await readFive();
  const five = await millisecondsOf(readFive);
  await startRuns(world);
  const running = new Map<number, Running>();
  const order: number[] = [];
  let [pairs, met, lines, now, waited] = [0, 0, 0, 0, 0];
  const claims: number[] = [];
  const begin = async (worker: number): Promise<boolean> => {
    const before = performance.now();
    const { job } = await claimAgentJob(actor, { worker: `w-${worker}`, product_id });
    if (job === null) return false;
    claims.push(performance.now() - before);
    waited += now;
    const task = Number(job.task?.code.slice(2)) - 1;
    const shared = [...running.values()].filter((other) => overlap(tasks[task], tasks[other.task]).length > 0);
    pairs += shared.length;
    if (shared.length > 0) met += 1;
    for (const other of shared) lines += (await touchSameLines(folder, tasks[task], tasks[other.task])) ? 1 : 0;
    order.push(task);
    // The same task takes as long in each simulation.
    running.set(worker, { task, job: { job_id: job.id, attempt: job.attempt }, until: now + 1 + ((task * 7919) % 10) });
    return true;
  };
  for (let worker = 0; worker < workers; worker += 1) await begin(worker);
  while (running.size > 0) {
    const [worker, first] = [...running].reduce((a, b) => (b[1].until < a[1].until ? b : a));
    now = first.until;
    running.delete(worker);
    await reportAgentJob(actor, { ...first.job, status: "done" });
    await begin(worker);
  }
  if (order.length !== tasks.length) throw new Error(`${tasks.length - order.length} tasks were never claimed`);
  const { rows } = await sql.query<{ most: number }>(
    "select coalesce(max(f.passed_over), 0) as most from forecasts f join tasks t on t.id = f.task_id where t.product_id = $1",
    [product_id],
  );
  const late = Math.max(...order.map((task, place) => place - task));
  return {
    pairs,
    tasks: met,
    lines,
    passed: rows[0]?.most ?? 0,
    late,
    waited: { end: now, mean: (waited / order.length).toFixed(1) },
    claims: median(claims).toFixed(1),
    five: five.toFixed(1),
  };
}

function overlap(a: KnownChange | undefined, b: KnownChange | undefined): string[] {
  return a?.paths.filter((path) => b?.paths.includes(path)) ?? [];
}

/** Whether two changes touch lines of a file that are at most three apart, by the numbers that each has in its own history. */
async function touchSameLines(
  folder: string,
  a: KnownChange | undefined,
  b: KnownChange | undefined,
): Promise<boolean> {
  for (const path of overlap(a, b)) {
    const [one, other] = await Promise.all([a, b].map((change) => linesOf(folder, change?.sha ?? "", path)));
    if (one?.some(([from, to]) => other?.some(([low, high]) => from <= high + 3 && low <= to + 3))) return true;
  }
  return false;
}

async function linesOf(folder: string, sha: string, path: string): Promise<[number, number][]> {
  const patch = await git(folder, "show", "--format=", "--unified=0", "--no-renames", sha, "--", path);
  return [...patch.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)].map(([, start, length = "1"]) => [
    Number(start),
    Number(start) + Number(length),
  ]);
}
