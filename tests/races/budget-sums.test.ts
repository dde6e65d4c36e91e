import { expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { claimAgentJob, heartbeatAgentJob, reportAgentJob, reportJobUsage } from "~/nouns/agent-jobs/operations.server";
import { getBudgets, setBudget, setBudgetSettings } from "~/nouns/budgets/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { ContractError } from "~/wire/errors";
import type { JobPayload } from "~/wire/workers/contract";
import { createTestDatabase } from "../setup/database";
import { numbersFrom } from "../setup/drawn-numbers";
import { at } from "../setup/world";

const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 3);
const workers = 8;
const claimsOfAWorker = 5;
/** More than are ever claimed: the run is not done when it is cancelled. */
const jobsOfOneRound = workers * claimsOfAWorker + 5;
const far = 1_000_000_000;

/** A product, sprint, run and task under budgets in every unit that never end, the task being the first of the sprint. */
async function scene() {
  const world = await t.seedSprint({ strategy: "STORY", stories: Array(jobsOfOneRound).fill(1) });
  const { actor, product, sprint, start } = world;
  const run = await start();
  const task = at(world.tasks, 0);
  for (const unit of ["USD", "EUR", "tokens"]) {
    const given = { product_id: product.id, unit, amount: far };
    await setBudget(actor, { ...given, scope: "product", period: "day" });
    await setBudget(actor, { ...given, scope: "product", period: "month" });
    await setBudget(actor, { ...given, scope: "sprint", target_id: sprint.id });
    await setBudget(actor, { ...given, scope: "run", target_id: run.id });
    await setBudget(actor, { ...given, scope: "task", target_id: task.id });
  }
  return { ...world, run, task };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** Lines of a ledger: priced by list, by the tool in two currencies, paid by a subscription. */
function linesFrom(first: number, roll: (below: number) => number) {
  const prices = [{}, { cost: 0.37 }, { cost: 0.11, currency: "EUR" }];
  return Array.from({ length: 8 }, (_, n) => ({
    seq: first + n,
    model_id: "race",
    input_tokens: roll(900),
    output_tokens: roll(90),
    ...at(prices, roll(3)),
    ...(roll(5) === 0 ? { subscription: true } : {}),
  }));
}

/** A word that may come too late: someone else has the job by now, or it is cleaned away. */
async function unlessLost(word: Promise<unknown>): Promise<void> {
  try {
    await word;
  } catch (error) {
    if (!(error instanceof ContractError) || ![404, 409].includes(error.status)) throw error;
  }
}

/** What one job goes through: beats, lines, and an end that is told, or never told, or told late. */
async function go(actor: Actor, job: JobPayload, roll: (below: number) => number): Promise<void> {
  const held = { job_id: job.id, attempt: job.attempt };
  const beat = (tokens: number) =>
    heartbeatAgentJob(actor, {
      ...held,
      usage: { models: [{ model_id: "race", input_tokens: tokens, cost: tokens / 1000 }] },
    });
  await beat(100 + roll(500));
  await unlessLost(reportJobUsage(actor, { ...held, events: linesFrom(1, roll) }));
  await beat(100 + roll(500));
  // A job that is lost too often fails, and its run with it.
  if (job.attempt < 3 && roll(3) === 0) {
    await t.query`update public.agent_jobs set lease_until = now() where id = ${job.id}`;
    return;
  }
  // The end is told next to others, with a share of the lock, and has its own line.
  const totals = { model_id: "race", input_tokens: 10_000, output_tokens: 1_000 };
  await unlessLost(reportAgentJob(actor, { ...held, ...totals, status: "done", verify_result: "ALIGNED" }));
  await unlessLost(reportJobUsage(actor, { ...held, events: linesFrom(100, roll) }));
}

/** Each budget with what it says was spent, and what its lines and turns add up to when nothing is kept. */
async function compare({ actor, product, sprint, run, task }: Scene) {
  const query = { product_id: product.id };
  const lists = await Promise.all([
    getBudgets(actor, query),
    getBudgets(actor, { ...query, sprint_run_id: run.id }),
    getBudgets(actor, { ...query, task_id: task.id }),
  ]);
  const budgets = new Map(lists.flatMap((list) => list.budgets).map((each) => [each.id, each]));
  const counted = [...budgets.values()].map(async ({ scope, period, unit, from_at, spent }) => {
    const rows = await t.query<{ spent: number }>`select coalesce(round(sum(case
           when ${unit} = 'tokens' then coalesce(input_tokens, 0) + coalesce(output_tokens,
             0) + coalesce(cache_write_tokens, 0)
           when currency = ${unit} and not subscription then cost end), 6), 0)::float as spent
       from (
         select input_tokens, output_tokens, cache_write_tokens, currency, subscription, cost, created_at, product_id,
           sprint_run_id, task_id from public.usage_events
         union all
         select input_tokens, output_tokens, cache_write_tokens, currency, subscription, cost, told_at, product_id,
           sprint_run_id, task_id from public.usage_so_far
       ) u
       where product_id = ${product.id} and (${from_at}::timestamptz is null or created_at >= ${from_at})
         and case ${scope}
         when 'run' then sprint_run_id = ${run.id} when 'task' then task_id = ${task.id}
         when 'sprint' then sprint_run_id in (select r.id from public.sprint_runs r
           where r.sprint_id = ${sprint.id}) else true end`;
    const name = `${scope} ${period ?? ""} ${unit}`;
    return { name, told: [name, spent], counted: [name, at(rows, 0).spent] };
  });
  const all = (await Promise.all(counted)).sort((a, b) => a.name.localeCompare(b.name));
  return { told: all.map((each) => each.told), counted: all.map((each) => each.counted) };
}

it(`The sum of a budget is that of its lines, no matter what happens at once, in each of ${rounds} rounds`, {
  timeout: 60_000 * rounds,
}, async () => {
  for (let round = 1; round <= rounds; round++) {
    const world = await scene();
    const { actor, product, run } = world;
    const roll = numbersFrom(round);

    const ended: JobPayload[] = [];
    const work = async (worker: string): Promise<void> => {
      for (let n = 0; n < claimsOfAWorker; n++) {
        const { job } = await claimAgentJob(actor, { worker, product_id: product.id });
        if (job === null) continue;
        await go(actor, job, roll);
        ended.push(job);
      }
    };
    const rest = async (): Promise<void> => {
      for (let n = 1; n <= 6; n++) {
        await t.query`insert into public.model_prices (model_id, input_per_million, output_per_million)
            values ('race', ${n * 3}, ${n * 3})
             on conflict (model_id) do update set input_per_million = excluded.input_per_million`;
        await t.database.call("sweep", { p_full: n % 3 === 0 });
        const time_zone = at(["UTC", "Asia/Kathmandu", "America/St_Johns"], roll(3));
        await setBudgetSettings(actor, { product_id: product.id, time_zone });
      }
    };
    await Promise.all([...Array.from({ length: workers }, (_, n) => work(`w-${n}`)), rest()]);
    const afterWork = await compare(world);
    expect(afterWork.told).toEqual(afterWork.counted);
    expect(afterWork.told).toHaveLength(15);

    // The run ends; its cancelled jobs are cleaned away while their agents still tell what they took.
    await cancelSprintRun(actor, { sprint_run_id: run.id });
    await t.query`update usage_so_far set told_at = told_at - interval '2 hours' where product_id = ${product.id}`;
    await t.query`update public.agent_jobs set finished_at = finished_at - interval '8 days'
        where product_id = ${product.id} and status = 'CANCELLED'`;
    const tellLate = ended.map((job) =>
      unlessLost(reportJobUsage(actor, { job_id: job.id, attempt: job.attempt, events: linesFrom(1_000, roll) })),
    );
    await Promise.all([
      ...tellLate,
      t.database.call("cleanup_agent_artifacts", {}),
      t.database.call("cleanup_agent_artifacts", {}),
      t.database.call("sweep", { p_full: true }),
    ]);
    const afterAll = await compare(world);
    expect(afterAll.told).toEqual(afterAll.counted);

    // All of this would be true of budgets that keep nothing.
    const rows = await t.query`
        select count(*)::integer as kept from private.budget_sums s join public.budgets b on b.id = s.budget_id
        where b.product_id = ${product.id} and s.last_id > 0 and s.amount > 0`;
    expect(rows[0].kept).toBeGreaterThanOrEqual(8);
  }
});
