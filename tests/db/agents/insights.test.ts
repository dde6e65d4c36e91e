import { describe, expect, it } from "vitest";
import { getAgentJob, reportAgentJob, reportJobUsage } from "~/nouns/agent-jobs/operations.server";
import { getInsights, listModelPrices, setModelPrice } from "~/nouns/insights/operations.server";
import { getDashboard } from "~/nouns/pages/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const admin = t.actorOf(await t.createUser({ role: "ADMIN" }));

it("Model prices are set and removed by administrators, in US dollars by default, and read by everyone", async () => {
  const price = { model_id: "m-set", input_per_million: 3, output_per_million: 15.5 };
  const stored = { ...price, cache_read_per_million: 0, cache_write_per_million: 0, currency: "USD" };
  expect(await setModelPrice(admin, price)).toMatchObject(stored);
  expect(await setModelPrice(admin, { model_id: "m-set", cache_read_per_million: 0.3 })).toMatchObject({
    input_per_million: 3,
    cache_read_per_million: 0.3,
  });
  const user = t.actorOf(await t.createUser());
  const own = (await listModelPrices(user)).prices.filter((p) => p.shipped === null);
  expect(own.map((p) => p.model_id)).toContain("m-set");
  expect(await statusOf(setModelPrice(user, price))).toBe(403);
  expect(await statusOf(setModelPrice(admin, { ...price, input_per_million: -1 }))).toBe(422);
  expect(await setModelPrice(admin, { model_id: "m-set" })).toEqual({ model_id: "m-set", removed: true });
});

describe("shipped prices", () => {
  const model_id = "claude-sonnet-4-5";
  const costOf = async (model: string) => {
    const { rows } = await t.sql.query("select cost::float from private.price_usage($1)", [
      JSON.stringify({ model_id: model, input_tokens: 1_000_000, cache_read_tokens: 1_000_000 }),
    ]);
    return rows[0].cost;
  };
  const listed = async () => (await listModelPrices(admin)).prices.find((price) => price.model_id === model_id);

  it("Shipped prices make costs known from the start, also for a model with its provider and date", async () => {
    expect(await listed()).toMatchObject({ input_per_million: 3, shipped: "2026-10" });
    expect(await costOf(model_id)).toBe(3.3);
    expect(await costOf(`anthropic/${model_id}-20250929`)).toBe(3.3);
    expect(await costOf("gpt-5-2025-08-07")).toBe(1.375);
    expect(await costOf(`${model_id}-other`)).toBeNull();
  });

  it("A shipped price gives way to an own price, and returns when that is removed", async () => {
    await setModelPrice(admin, { model_id, input_per_million: 1, currency: "EUR" });
    expect(await listed()).toMatchObject({ currency: "EUR", shipped: null });
    expect(await costOf(`${model_id}-20250929`)).toBe(1);
    await setModelPrice(admin, { model_id });
    expect(await listed()).toMatchObject({ currency: "USD", shipped: "2026-10" });
    expect(await costOf(model_id)).toBe(3.3);
  });
});

it("Insights sum tokens and cost by story, sprint, day, and model", async () => {
  await setModelPrice(admin, {
    model_id: "m-1",
    input_per_million: 2,
    output_per_million: 10,
    cache_read_per_million: 1,
    cache_write_per_million: 4,
  });
  const world = await t.seedSprint({ stories: [2] });
  const run = await world.start();
  for (const model of ["m-1", "m-unknown"]) {
    const job = await claim(world.actor);
    await reportAgentJob(world.actor, {
      job_id: job.id,
      attempt: 1,
      status: "done",
      verify_result: "ALIGNED",
      model_id: model,
      input_tokens: 1_000_000,
      output_tokens: 100_000,
      cache_read_tokens: 500_000,
      cache_write_tokens: 250_000,
    });
  }
  const numbers = { input_tokens: 1_000_000, output_tokens: 100_000 };
  const insights = await getInsights(world.actor, { product_id: world.product.id });
  expect(insights.totals).toMatchObject({
    jobs: 2,
    input_tokens: 2_000_000,
    cache_read_tokens: 1_000_000,
    costs: [{ currency: "USD", cost: 4.5 }],
    unpriced_jobs: 1,
  });
  expect(insights.by_model).toMatchObject([
    { model_id: "m-1", costs: [{ currency: "USD", cost: 4.5 }], ...numbers },
    { model_id: "m-unknown", costs: [], unpriced_jobs: 1 },
  ]);
  expect(insights.by_story).toMatchObject([{ story_code: "ST-001", jobs: 2 }]);
  expect(insights.by_sprint).toMatchObject([{ sprint_code: "SP-1", jobs: 2 }]);
  expect(insights.by_day).toMatchObject([{ jobs: 2 }]);
  expect(insights.by_day_model).toMatchObject([{ model_id: "m-1", currency: "USD", cost: 4.5 }]);
  expect(insights.by_product).toMatchObject([
    { product_id: world.product.id, costs: [{ currency: "USD", cost: 4.5 }] },
  ]);
  expect(insights.cycle_times.map(({ code }) => code)).toEqual(["T-1", "T-2"]);
  const detail = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(detail).toMatchObject({ cost: 4.5, input_tokens: 2_000_000 });
  expect(detail.jobs.map((job) => job.cost)).toEqual([4.5, null]);
});

it("The burndown follows the recorded history, which stays when a story leaves the sprint", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  const day = (n: number) => new Date(Date.UTC(2026, 10, n, 12));
  await t.query`update sprints set start_date = '2026-11-01', end_date = '2026-11-03' where id = ${world.sprint.id}`;
  const record = async (task: number, status: string, at_: Date, sprint = world.sprint.id) =>
    t.query`
        insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status, changed_at)
        select t.id, t.story_id, t.product_id, ${sprint}, ${status}::public.task_status, ${at_} from public.tasks t where t.id = ${at(world.tasks, task).id}`;
  await t.query`delete from public.task_status_changes where product_id = ${world.product.id}`;
  for (const task of [0, 1, 2]) await record(task, "TO_DO", day(1));
  await record(0, "DONE", day(2));
  await record(1, "IN_PROGRESS", day(2));
  await record(2, "DONE", day(3));
  const before = await getInsights(world.actor, { product_id: world.product.id, sprint_id: world.sprint.id });
  expect(before.burndown).toEqual([
    { date: "2026-11-01", remaining: 3, started: 0, total: 3 },
    { date: "2026-11-02", remaining: 2, started: 1, total: 3 },
    { date: "2026-11-03", remaining: 1, started: 1, total: 3 },
  ]);
  await create(world.actor, "remove_story_from_sprint", { p_story_id: at(world.stories, 1).id });
  const afterwards = await getInsights(world.actor, { product_id: world.product.id, sprint_id: world.sprint.id });
  expect(afterwards.burndown).toEqual(before.burndown);
});

it("The burndown follows what joins and leaves, and stays when the sprint is completed", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  const { actor, sprint } = world;
  const dayBefore = async (days: number) => {
    await t.query`
        update public.task_status_changes set changed_at = now() - make_interval(days => ${days})
        where product_id = ${world.product.id} and changed_at > now() - interval '12 hours'`;
  };
  await t.query`update public.sprints set start_date = (now() at time zone 'UTC')::date - 2 where id = ${sprint.id}`;
  await dayBefore(2);
  const late = await create(actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Late" });
  await create(actor, "create_task", { p_story_id: late.id, p_title: "Late" });
  await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: late.id });
  await setTaskStatus(actor, { task_id: at(world.tasks, 0).id, status: "done" });
  await dayBefore(1);
  await create(actor, "remove_story_from_sprint", { p_story_id: at(world.stories, 1).id });
  const burndown = async () =>
    (await getInsights(actor, { product_id: world.product.id, sprint_id: sprint.id })).burndown.map(
      ({ remaining, total }) => [remaining, total],
    );
  const recorded = [
    [3, 3],
    [3, 4],
    [2, 3],
  ];
  expect(await burndown()).toEqual(recorded);
  await completeSprint(actor, { sprint_id: sprint.id });
  expect(await burndown()).toEqual(recorded);
});

it("Insights answer for a product without sprint and jobs, and to members only", async () => {
  const owner = await t.createUser();
  const product = await create(t.actorOf(owner), "create_product", { p_code: "E", p_name: "E" });
  expect(await getInsights(t.actorOf(owner), { product_id: product.id })).toMatchObject({
    sprint: null,
    burndown: [],
    totals: { jobs: 0, costs: [] },
    by_model: [],
  });
  expect(await statusOf(getInsights(admin, { product_id: product.id }))).toBe(403);
  const unknown = { product_id: product.id, sprint_id: owner.id };
  expect(await statusOf(getInsights(t.actorOf(owner), unknown))).toBe(404);
});

const price = (model_id: string, input_per_million: number, currency = "USD") =>
  setModelPrice(admin, {
    model_id,
    input_per_million,
    output_per_million: 0,
    cache_read_per_million: 0,
    cache_write_per_million: 0,
    currency,
  });
await price("priced", 2);
await price("euro", 1, "EUR");

const million = 1_000_000;

it("A usage event counts once, no matter how often it is sent or whether a total includes it", async () => {
  const { world, attempt } = await t.holdJob();
  const event = { seq: 1, model_id: "priced", input_tokens: million };
  await reportJobUsage(world.actor, { ...attempt, events: [event] });
  await reportJobUsage(world.actor, { ...attempt, events: [event] });
  await reportJobUsage(world.actor, { ...attempt, events: [{ ...event, seq: 2 }] });
  const job = await reportJobUsage(world.actor, { ...attempt, input_tokens: 2 * million });
  expect(job).toMatchObject({ input_tokens: 2 * million, model_id: "priced", cost: 4 });
  const rows = await t.query`select seq from public.usage_events where job_id = ${job.id}`;
  expect(rows).toHaveLength(2);
});

it("A reported total adds what the events left out, and what was never reported stays null", async () => {
  const { world, attempt } = await t.holdJob();
  await reportJobUsage(world.actor, { ...attempt, events: [{ seq: 1, input_tokens: 10 }] });
  const job = await reportJobUsage(world.actor, { ...attempt, input_tokens: 25 });
  expect(job).toMatchObject({ input_tokens: 25, output_tokens: null, cache_read_tokens: null });
});

it("Usage keeps the rates of its moment when prices change", async () => {
  await price("moving", 1);
  const { world, attempt } = await t.holdJob();
  const send = (seq: number) =>
    reportJobUsage(world.actor, { ...attempt, events: [{ seq, model_id: "moving", input_tokens: million }] });
  expect((await send(1)).cost).toBe(1);
  await price("moving", 10);
  expect((await send(2)).cost).toBe(11);
});

it("A cost that the tool reports is kept as it is, and usage says where each cost comes from", async () => {
  const { world, attempt, job } = await t.holdJob();
  await reportJobUsage(world.actor, {
    ...attempt,
    events: [
      { seq: 1, model_id: "priced", input_tokens: million, cost: 0.5 },
      { seq: 2, model_id: "nobody-knows", input_tokens: 5, estimated: true },
    ],
  });
  const detail = await getAgentJob(world.actor, { job_id: job.id });
  expect(detail.costs).toEqual([{ currency: "USD", cost: 0.5 }]);
  expect(detail.attempts[0]?.usage).toMatchObject({
    input_tokens: million + 5,
    estimated: true,
    sources: ["reported", "unpriced"],
  });
});

it("Costs in different currencies are never added together", async () => {
  const { world, attempt } = await t.holdJob();
  const job = await reportJobUsage(world.actor, {
    ...attempt,
    events: [
      { seq: 1, model_id: "priced", input_tokens: million },
      { seq: 2, model_id: "euro", input_tokens: million },
    ],
  });
  const costs = [
    { currency: "EUR", cost: 1 },
    { currency: "USD", cost: 2 },
  ];
  expect(job).toMatchObject({ costs, cost: null });
  const insights = await getInsights(world.actor, { product_id: world.product.id });
  expect(insights.totals.costs).toEqual(costs);
  expect(insights.by_day[0]?.costs).toEqual(costs);
});

it("The usage of a job sums its attempts, and an ended attempt adds to it until the next claim", async () => {
  const { world, attempt, report, job } = await t.holdJob();
  await reportJobUsage(world.actor, { ...attempt, input_tokens: 10 });
  await report({ status: "failed", failure_class: "rate_limited" });
  await t.query`update public.agent_jobs set not_before = null`;
  await reportJobUsage(world.actor, { ...attempt, input_tokens: 15 });
  const again = await claim(world.actor, "worker-2");
  expect(again.id).toBe(job.id);
  expect(await statusOf(reportJobUsage(world.actor, { ...attempt, input_tokens: 99 }))).toBe(409);
  const second = { job_id: job.id, attempt: again.attempt, input_tokens: 7 };
  expect((await reportJobUsage(world.actor, second)).input_tokens).toBe(22);
});

it("The costs of a failed job stay in the insights when the job is cleaned away", async () => {
  const { world, attempt, job, report } = await t.holdJob();
  await report({ status: "failed", model_id: "priced", input_tokens: million });
  await reportJobUsage(world.actor, { ...attempt, input_tokens: million });
  await t.query`delete from public.agent_jobs where id = ${job.id}`;
  const insights = await getInsights(world.actor, { product_id: world.product.id });
  expect(insights.totals.costs).toEqual([{ currency: "USD", cost: 2 }]);
});

it("The next attempt at a task is offered the session and the kept work of the one before", async () => {
  const { world, report, job } = await t.holdJob();
  await report({
    status: "failed",
    failure_class: "rate_limited",
    session_id: "session-1",
    kept_ref: `backloom/kept/${job.id}-1`,
  });
  await t.query`update public.agent_jobs set not_before = null`;
  const again = await claim(world.actor, "worker-2");
  expect(again).toMatchObject({ task_id: world.tasks[0]?.id, sprint_run_id: expect.any(String) });
  expect(again.earlier_attempts).toMatchObject([
    {
      job_id: job.id,
      attempt: 1,
      outcome: "rate_limited",
      worker_name: "worker-1",
      session_id: "session-1",
      kept_ref: `backloom/kept/${job.id}-1`,
    },
  ]);
});

it("What a subscription pays is not in the dashboard's costs of today", async () => {
  const { world, attempt } = await t.holdJob();
  const event = { model_id: "priced", input_tokens: million };
  await reportJobUsage(world.actor, {
    ...attempt,
    events: [
      { ...event, seq: 1 },
      { ...event, seq: 2, subscription: true },
    ],
  });
  const { costs_today } = await getDashboard(world.actor);
  expect(costs_today).toEqual([{ currency: "USD", cost: 2 }]);
});
