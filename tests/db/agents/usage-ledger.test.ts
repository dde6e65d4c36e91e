import { describe, expect, it } from "vitest";
import { getAgentJob, reportJobUsage } from "~/nouns/agent-jobs/operations.server";
import { getInsights, setModelPrice } from "~/nouns/insights/operations.server";
import { getDashboard } from "~/nouns/pages/operations.server";
import { createTestDatabase } from "../../setup/database";
import { claim } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const administrator = await t.createUser();
await t.query`update public.users set role = 'ADMIN' where id = ${administrator.id}`;
const admin = t.actorOf(administrator);
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

describe("the ledger of tokens and cost", () => {
  it("counts an event once, no matter how often it is sent, and a total that holds it too", async () => {
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

  it("adds the rest of a total, and keeps what was never said null", async () => {
    const { world, attempt } = await t.holdJob();
    await reportJobUsage(world.actor, { ...attempt, events: [{ seq: 1, input_tokens: 10 }] });
    const job = await reportJobUsage(world.actor, { ...attempt, input_tokens: 25 });
    expect(job).toMatchObject({ input_tokens: 25, output_tokens: null, cache_read_tokens: null });
  });

  it("keeps the rates of the moment when prices change", async () => {
    await price("moving", 1);
    const { world, attempt } = await t.holdJob();
    const send = (seq: number) =>
      reportJobUsage(world.actor, {
        ...attempt,
        events: [{ seq, model_id: "moving", input_tokens: million }],
      });
    expect((await send(1)).cost).toBe(1);
    await price("moving", 10);
    expect((await send(2)).cost).toBe(11);
  });

  it("keeps a cost that the tool knows as it was said, and says where each comes from", async () => {
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

  it("never adds currencies", async () => {
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

  it("sums the attempts, takes what an ended one hands in, and nothing of a lost one", async () => {
    const { world, attempt, report, job } = await t.holdJob();
    await reportJobUsage(world.actor, { ...attempt, input_tokens: 10 });
    await report({
      status: "failed",
      failure_class: "rate_limited",
    });
    await t.query`update public.agent_jobs set not_before = null`;
    await reportJobUsage(world.actor, { ...attempt, input_tokens: 15 });
    const again = await claim(world.actor, "worker-2");
    expect(again.id).toBe(job.id);
    expect(await statusOf(reportJobUsage(world.actor, { ...attempt, input_tokens: 99 }))).toBe(409);
    const second = { job_id: job.id, attempt: again.attempt, input_tokens: 7 };
    expect((await reportJobUsage(world.actor, second)).input_tokens).toBe(22);
  });

  it("keeps what was spent when a failed job is cleaned away", async () => {
    const { world, attempt, job, report } = await t.holdJob();
    await report({ status: "failed", model_id: "priced", input_tokens: million });
    await reportJobUsage(world.actor, { ...attempt, input_tokens: million });
    await t.query`delete from public.agent_jobs where id = ${job.id}`;
    const insights = await getInsights(world.actor, { product_id: world.product.id });
    expect(insights.totals.costs).toEqual([{ currency: "USD", cost: 2 }]);
  });
});

describe("what an attempt leaves behind", () => {
  it("is offered to the next attempt at the same task, with its session", async () => {
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
});

it("what a subscription pays is in no sum of costs, that of the dashboard neither", async () => {
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
