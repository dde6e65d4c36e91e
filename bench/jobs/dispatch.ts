import type pg from "pg";
import type { Database } from "~/db/database.server";
import { claimAgentJob, reportAgentJob, reportJobUsage } from "~/nouns/agent-jobs/operations.server";
import { pastTriggers } from "../rows";
import { median, verdict } from "../streams/statistics";
import { closedLoop } from "./closed-loop";
import { createQueueWorld, type Queue, startRuns } from "./world";

const workers = 8;

/** What is next to the bare queue: nothing, dependencies among all tasks, budgets on every run and product. */
type Side = "bare" | "edges" | "budgets";

export interface Dispatch {
  rounds: number;
  seconds: number;
  backlog: number;
  products: number;
  /** Lines of usage that each run has in its ledger already, all of today. */
  ledger: number;
  against: Exclude<Side, "bare">[];
}

type Measured = { claim: number; rate: number };

/**
 * Claims at the same backlog with nothing, and with dependencies or budgets, turn about: the first turn of each warms up, and
 * the order of the sides changes with every turn.
 */
export async function compareDispatch(sql: pg.Pool, database: Database, dispatch: Dispatch): Promise<void> {
  const { rounds, backlog, ledger, against } = dispatch;
  const sides = ["bare", ...against] as const;
  const found: Record<Side, Measured[]> = { bare: [], edges: [], budgets: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const measured = await measure(sql, database, side, dispatch);
      console.log(`     ${side}: claim ${measured.claim.toFixed(2)} ms, ${Math.round(measured.rate)} jobs/s`);
      if (round > 0) found[side].push(measured);
    }
  }
  for (const side of against) {
    const ratio = (name: keyof Measured) =>
      median(found[side].map((each, n) => each[name] / (found.bare[n]?.[name] ?? Number.NaN)));
    const lines = ledger === 0 ? "" : ` and a ledger of ${ledger}`;
    const title = `at a backlog of ${backlog}${lines}, with ${side} against without`;
    console.log(verdict(`claim ${title}`, ratio("claim"), 1.1, "lower"));
    console.log(verdict(`claim + complete ${title}`, ratio("rate"), 0.9, "higher"));
  }
}

async function measure(
  sql: pg.Pool,
  database: Database,
  side: Side,
  { backlog, products, ledger, seconds }: Dispatch,
): Promise<Measured> {
  const queue = await createQueueWorld(sql, database, backlog, products);
  if (side === "edges") await addEdges(sql, queue);
  await startRuns(queue);
  if (side === "budgets") await addBudgets(sql, queue);
  if (ledger > 0) await addLines(sql, queue, ledger);
  await sql.query("analyze");
  const claims: number[] = [];
  const rate = await closedLoop(workers, seconds, async (worker) => {
    const startedAt = performance.now();
    const { job } = await claimAgentJob(queue.actor, { worker: `bench-${worker}` });
    if (!job) return false;
    claims.push(performance.now() - startedAt);
    const ofAttempt = { job_id: job.id, attempt: job.attempt };
    // On every side, or the ledger would be compared instead of the budgets.
    const events = [{ seq: 1, model_id: "m", cost: 0.5, currency: "USD" }];
    await reportJobUsage(queue.actor, { ...ofAttempt, events });
    await reportAgentJob(queue.actor, { ...ofAttempt, status: "done", verify_result: "ALIGNED" });
    return true;
  });
  await sql.query("truncate public.agent_jobs, public.sprint_runs, public.agent_workers, public.usage_events cascade");
  return { claim: median(claims), rate };
}

/** Every task waits for the task at its place in the story before: all but the first story of a product are held at first. */
async function addEdges(sql: pg.Pool, { productIds }: Queue): Promise<void> {
  await pastTriggers(sql, (client) =>
    client.query(
      `insert into public.task_dependencies (blocked_id, blocker_id, product_id)
       select b.id, a.id, b.product_id from public.tasks b
       join public.tasks a on a.product_id = b.product_id and a.sort_order = b.sort_order - 8
       where b.product_id = any ($1)`,
      [productIds],
    ),
  );
}

/** Budgets that are never reached: of each run, and of each product a day. */
async function addBudgets(sql: pg.Pool, { productIds }: Queue): Promise<void> {
  await sql.query(
    `insert into public.budgets (product_id, scope, period, sprint_run_id, unit, amount)
     select r.product_id, 'run', null, r.id, 'USD', 1000000 from public.sprint_runs r where r.product_id = any ($1)
     union all
     select p, 'product', 'day', null, 'USD', 1000000 from unnest($1::uuid[]) p`,
    [productIds],
  );
}

/** Usage of jobs that are long gone: of the runs that go on, and of today, so that every budget has to know of it. */
async function addLines(sql: pg.Pool, { productIds }: Queue, lines: number): Promise<void> {
  await sql.query(
    `insert into public.usage_events (product_id, sprint_run_id, attempt, seq, model_id, input_tokens, cost, currency, source)
     select r.product_id, r.id, 1, n, 'm', 1000, 0.001, 'USD', 'reported'
     from public.sprint_runs r, generate_series(1, $2::integer) n where r.product_id = any ($1)`,
    [productIds, lines],
  );
}
