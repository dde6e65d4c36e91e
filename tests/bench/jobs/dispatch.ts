import type pg from "pg";
import type { Database } from "~/db/database.server";
import { claimAgentJob } from "~/domain/agent-jobs/claim-agent-job.server";
import { reportAgentJob } from "~/domain/agent-jobs/report-agent-job.server";
import { reportJobUsage } from "~/domain/agent-jobs/report-job-usage.server";
import { median, verdict } from "../streams/statistics";
import { closedLoop } from "./closed-loop";
import { createQueueWorld, type Queue, startRuns } from "./world";

const workers = 8;

/** What is beside the bare queue: nothing, dependencies among all tasks, budgets on every run and product. */
const sides = ["bare", "edges", "budgets"] as const;
type Side = (typeof sides)[number];

interface Measured {
  claim: number;
  rate: number;
}

/**
 * Claims at the same backlog with nothing, with dependencies and with budgets, turn about: the first turn of each warms up,
 * and the order of the sides changes with every turn.
 */
export async function compareDispatch(
  sql: pg.Pool,
  database: Database,
  { rounds, seconds, backlog }: { rounds: number; seconds: number; backlog: number },
): Promise<void> {
  const found: Record<Side, Measured[]> = { bare: [], edges: [], budgets: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const measured = await measure(sql, database, side, backlog, seconds);
      console.log(
        `     ${side}: claim ${measured.claim.toFixed(2)} ms, ${Math.round(measured.rate)} jobs/s`,
      );
      if (round > 0) found[side].push(measured);
    }
  }
  for (const side of ["edges", "budgets"] as const) {
    const ratio = (name: keyof Measured) =>
      median(found[side].map((each, n) => each[name] / (found.bare[n]?.[name] ?? Number.NaN)));
    const title = `at a backlog of ${backlog}, with ${side} against without`;
    console.log(verdict(`claim ${title}`, ratio("claim"), 1.1, "lower"));
    console.log(verdict(`claim + complete ${title}`, ratio("rate"), 0.9, "higher"));
  }
}

async function measure(
  sql: pg.Pool,
  database: Database,
  side: Side,
  backlog: number,
  seconds: number,
): Promise<Measured> {
  const queue = await createQueueWorld(sql, database, backlog, 30);
  if (side === "edges") await addEdges(sql, queue);
  await startRuns(queue);
  if (side === "budgets") await addBudgets(sql, queue);
  await sql.query("analyze");
  const claims: number[] = [];
  const rate = await closedLoop(workers, seconds, async (worker) => {
    const startedAt = performance.now();
    const { job } = await claimAgentJob(queue.actor, { worker: `bench-${worker}` });
    if (!job) return false;
    claims.push(performance.now() - startedAt);
    const held = { job_id: job.id, attempt: job.attempt };
    // On every side, or the ledger would be compared instead of the budgets.
    const events = [{ seq: 1, model_id: "m", cost: 0.5, currency: "USD" }];
    await reportJobUsage(queue.actor, { ...held, events });
    await reportAgentJob(queue.actor, { ...held, status: "done", verify_result: "ALIGNED" });
    return true;
  });
  await sql.query(
    "truncate public.agent_jobs, public.sprint_runs, public.agent_workers, public.usage_events cascade",
  );
  return { claim: median(claims), rate };
}

/** Every task waits for the task at its place in the story before: all but the first story of a product are held at first. */
async function addEdges(sql: pg.Pool, { productIds }: Queue): Promise<void> {
  const client = await sql.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(
      `insert into public.task_dependencies (blocked_id, blocker_id, product_id)
       select b.id, a.id, b.product_id from public.tasks b
       join public.tasks a on a.product_id = b.product_id and a.sort_order = b.sort_order - 8
       where b.product_id = any ($1)`,
      [productIds],
    );
    await client.query("commit");
  } finally {
    client.release();
  }
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
