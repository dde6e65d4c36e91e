import { expect, it } from "vitest";
import {
  claimAgentJob,
  heartbeatAgentJob,
  reportAgentJob,
  reportJobUsage,
  takeAgentJob,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { getBudgets, getForecast, setBudget, setBudgetSettings } from "~/nouns/budgets/operations.server";
import { answerQuestion } from "~/nouns/questions/operations.server";
import {
  getSprintRun,
  preflightSprintRun,
  resumeSprintRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import type { AgentQuestion } from "~/wire/questions/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal, type SprintOptions } from "../../setup/world";
import { statusOf } from "../refusal";
import { serviceAt } from "./fixed-clock";

const t = await createTestDatabase();

/** A run with a budget in dollars, in which each story has its own branch. */
async function scene(amount: number, options: SprintOptions = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 1], ...options });
  const { actor, product, sprint } = world;
  const stop_at = { unit: "USD", amount };
  const run = await startSprintRun(actor, { sprint_id: sprint.id, stop_at });
  const read = () => getSprintRun(actor, { sprint_run_id: run.id });
  const budget = async () => {
    const { budgets } = await getBudgets(actor, { product_id: product.id, sprint_run_id: run.id });
    return at(budgets, 0);
  };
  const beat = (job: { id: string; attempt: number }, cost: number) =>
    heartbeatAgentJob(actor, {
      job_id: job.id,
      attempt: job.attempt,
      usage: { models: [{ model_id: "m", input_tokens: 10, cost, currency: "USD" }] },
    });
  const finish = async (job: { id: string; attempt: number }, cost: number) => {
    const held = { job_id: job.id, attempt: job.attempt };
    await reportJobUsage(actor, { ...held, events: [{ seq: 1, model_id: "m", cost }] });
    await reportAgentJob(actor, { ...held, status: "done", verify_result: "ALIGNED" });
  };
  const answer = async (option: number) => {
    const { pause_question } = await read();
    const { id }: Pick<AgentQuestion, "id"> = pause_question ?? { id: "" };
    return answerQuestion(actor, { question_id: id, option });
  };
  return { ...world, run, read, budget, beat, finish, answer };
}

it("The pre-flight warns of a budget that is probably too small for the run", async () => {
  const { actor, product, sprint, finish } = await scene(100, { stories: Array(6).fill(1) });
  for (let n = 0; n < 5; n++) await finish(await claim(actor), 2);
  const day = { product_id: product.id, scope: "product", period: "day", unit: "USD" } as const;
  const look = async () => (await preflightSprintRun(actor, { sprint_id: sprint.id })).warnings;
  expect(await look()).toEqual([]);
  const { id } = await setBudget(actor, { ...day, amount: 11.5 });
  expect(await look()).toEqual([
    {
      type: "budget",
      budget_id: id,
      message: `The budget of product ${product.code} for this day has 1.50 USD left, and this run probably takes 2.00 USD to 2.00 USD. It pauses there and asks you.`,
    },
  ]);
  await setBudget(actor, { ...day, amount: 10 });
  expect((await look())[0]?.message).toContain("is used up: a run pauses at once");
  await setBudget(actor, { ...day, amount: 12 });
  expect(await look()).toEqual([]);
});

it("A claim tells the worker how much budget is left, without what others have reserved", async () => {
  const { actor, finish } = await scene(5);
  const first = await claim(actor, "w-1");
  expect(first.budget_left).toEqual([{ unit: "USD", amount: 5 }]);
  const second = await claim(actor, "w-2");
  expect(second.budget_left).toEqual([{ unit: "USD", amount: 4 }]);
  await finish(first, 3);
  expect((await claim(actor, "w-1")).budget_left).toEqual([{ unit: "USD", amount: 1 }]);
});

it("The budgets of a task are listed next to those of its run and sprint", async () => {
  const { actor, product, tasks, sprint } = await scene(5);
  const [task, other] = [at(tasks, 0), at(tasks, 1)];
  const usd = { product_id: product.id, unit: "USD", amount: 1 };
  await setBudget(actor, { ...usd, scope: "task", target_id: task.id });
  await setBudget(actor, { ...usd, scope: "sprint", target_id: sprint.id });
  const scopes = async (task_id: string) =>
    (await getBudgets(actor, { product_id: product.id, task_id })).budgets.map((b) => b.scope);
  expect(await scopes(task.id)).toEqual(["run", "sprint", "task"]);
  expect(await scopes(other.id)).toEqual(["run", "sprint"]);
});

it("A used-up run budget takes no job from a person who has it in a terminal", async () => {
  const { actor, product, beat, finish } = await scene(2);
  const taken = await takeAgentJob(actor, { task: "T-1", product: product.code });
  const [first, second] = [await claim(actor, "w-1"), await claim(actor, "w-2")];
  await finish(first, 5);
  expect(await beat(second, 1)).toMatchObject({ action: "stop", reason: { code: "budget" } });
  const held = { id: String(taken.job?.id), attempt: 1 };
  expect(await beat(held, 0)).toMatchObject({ action: "pause", status: "claimed" });
  await finish(held, 0);
});

it("A run budget is reserved by claims, and by no more of them than it has room for", async () => {
  const { actor, budget } = await scene(2);
  await claim(actor, "w-1");
  await claim(actor, "w-2");
  expect(await claimRefusal(actor, "w-3")).toBe("budget");
  expect(await budget()).toMatchObject({ amount: 2, spent: 0, reserved: 2, left: 0, at_work: 2 });
});

it("A run budget has room again when a job took less than was reserved for it", async () => {
  const { actor, finish } = await scene(2);
  const job = await claim(actor, "w-1");
  await claim(actor, "w-2");
  await finish(job, 0);
  expect(await claim(actor, "w-3")).toMatchObject({ attempt: 1 });
});

it("A job that reaches its run's budget stops and waits, with no retry counted, and the run asks", async () => {
  const { actor, beat, read, budget } = await scene(2, { stories: [1] });
  const job = await claim(actor);
  expect(await beat(job, 0.9)).toMatchObject({ action: "continue" });
  expect(await beat(job, 1.5)).toMatchObject({ action: "continue" });
  const stop = await beat(job, 2.1);
  expect(stop).toMatchObject({ action: "stop", status: "queued", reason: { code: "budget" } });
  expect(stop.reason?.message).toContain("2.10 USD of 2.00 USD");
  const paused = await read();
  expect(paused).toMatchObject({
    status: "paused",
    pause_context: { reason: "budget", amount: 2, spent: 2.1 },
    pause_question: { status: "open" },
  });
  expect(paused.pause_question?.options.map(({ label }) => label)).toEqual([
    "Raise by 1.00 USD",
    "Finish what was begun",
    "Stop here",
  ]);
  expect(at(paused.jobs, 0)).toMatchObject({
    status: "queued",
    retry_count: 0,
    failure_class: null,
    parked_question_id: paused.pause_question_id,
  });
  // Of two beats under way at once either may be heard: both say the same.
  expect(await beat(job, 2.1)).toMatchObject({ action: "stop", reason: stop.reason });
  expect(await budget()).toMatchObject({ state: "reached", spent: 2.1 });
  expect((await budget()).overshoot).toBeCloseTo(0.1);
  expect(await claimRefusal(actor)).toBe("paused");
  const why = await whyNotMoving(actor, { kind: "job", id: job.id });
  expect(why.reasons.map(({ code }) => code)).toEqual(expect.arrayContaining(["budget"]));
});

it("A run budget counts the last numbers of an attempt that it stopped", async () => {
  const { actor, beat, read, budget } = await scene(1, { stories: [1] });
  const job = await claim(actor);
  await beat(job, 1.2);
  const held = { job_id: job.id, attempt: job.attempt };
  await reportJobUsage(actor, { ...held, events: [{ seq: 1, model_id: "m", input_tokens: 12, cost: 1.3 }] });
  expect(at((await read()).jobs, 0)).toMatchObject({ input_tokens: 12, cost: 1.3 });
  expect((await budget()).overshoot).toBeCloseTo(0.3);
});

it("A run whose budget is raised by the button continues with the stopped job first", async () => {
  const { actor, beat, answer, read, budget } = await scene(1);
  const job = await claim(actor);
  await beat(job, 1.2);
  await answer(0);
  expect(await read()).toMatchObject({ status: "queued", pause_context: null });
  expect(await budget()).toMatchObject({ amount: 2, state: "open" });
  expect(await claim(actor)).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
});

it("A run told to finish what was begun gives out nothing new, and asks again afterwards", async () => {
  const { actor, beat, answer, read, finish } = await scene(1);
  const job = await claim(actor);
  await beat(job, 1.2);
  await answer(1);
  expect(await claim(actor)).toMatchObject({ id: job.id, attempt: 2 });
  expect(await claimRefusal(actor, "w-2")).toBe("budget");
  expect(await beat({ id: job.id, attempt: 2 }, 5)).toMatchObject({ action: "continue" });
  await finish({ id: job.id, attempt: 2 }, 5);
  await claimRefusal(actor);
  expect(await claimRefusal(actor)).toBe("paused");
  expect((await read()).pause_context).toMatchObject({ reason: "budget" });
});

it("A run that reached its budget is cancelled when a person answers to stop it", async () => {
  const { actor, beat, answer, read } = await scene(1);
  await beat(await claim(actor), 1.2);
  await answer(2);
  expect(await read()).toMatchObject({ status: "cancelled" });
  expect((await read()).jobs.map(({ status }) => status)).toEqual(Array(3).fill("cancelled"));
});

it("A claim that finds no budget left pauses the run", async () => {
  const { actor, finish, read } = await scene(1);
  await finish(await claim(actor), 1);
  expect(await claimRefusal(actor)).toBe("budget");
  expect(await claimRefusal(actor)).toBe("paused");
  expect((await read()).pause_question?.options[1]?.label).toBe("Do one more task");
});

it("A run that reached its budget cannot be resumed, but continues when the budget is raised", async () => {
  const { actor, beat, run, product, read } = await scene(1);
  await beat(await claim(actor), 1.2);
  expect(await statusOf(resumeSprintRun(actor, { sprint_run_id: run.id }))).toBe(409);
  await setBudget(actor, { product_id: product.id, scope: "run", target_id: run.id, unit: "USD", amount: 9 });
  expect((await read()).status).toBe("queued");
});

it("A run that continues a batch keeps its budget, with what was already spent", async () => {
  const { actor, beat, answer, product } = await scene(1, { strategy: "SPRINT_BATCH" });
  await beat(await claim(actor), 1.2);
  await answer(0);
  const { budgets } = await getBudgets(actor, { product_id: product.id });
  expect(budgets).toMatchObject([{ scope: "run", amount: 2, spent: 1.2, state: "open" }]);
  expect(await claim(actor)).toMatchObject({ kind: "SPRINT_IMPLEMENTATION", attempt: 1 });
});

it("A budget leaves out cache reads, other currencies, and what a subscription pays", async () => {
  const { actor, product, run, budget } = await scene(5, { stories: [1] });
  const job = await claim(actor);
  const counted = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 9_000, cache_write_tokens: 3 };
  await reportJobUsage(actor, {
    job_id: job.id,
    attempt: 1,
    events: [
      { seq: 1, model_id: "m", ...counted, cost: 4, currency: "EUR" },
      { seq: 2, model_id: "m", cost: 7, subscription: true },
    ],
  });
  expect(await budget()).toMatchObject({ unit: "USD", spent: 0 });
  const ofRun = { product_id: product.id, scope: "run", target_id: run.id } as const;
  const tokens = await setBudget(actor, { ...ofRun, unit: "tokens", amount: 1_000 });
  expect(tokens).toMatchObject({ spent: 123, state: "open" });
});

it("A product's daily budget opens again the next day in its time zone, and its runs go on", async () => {
  const { actor, product, read, finish } = await scene(100);
  await setBudgetSettings(actor, { product_id: product.id, time_zone: "Asia/Tokyo" });
  const given = { product_id: product.id, scope: "product", period: "day", unit: "USD" } as const;
  const budget = await setBudget(actor, { ...given, amount: 1 });
  expect(new Date(budget.from_at ?? "").getUTCHours()).toBe(15);
  await finish(await claim(actor), 1);
  await claimRefusal(actor);
  expect(await claimRefusal(actor)).toBe("paused");
  await serviceAt(t, new Date(Date.parse(budget.until_at ?? "") - 60_000), "sweep()");
  expect((await read()).status).toBe("paused");
  await serviceAt(t, new Date(Date.parse(budget.until_at ?? "") + 60_000), "sweep()");
  expect((await read()).status).toBe("queued");
});

it("Usage of an attempt that dies is known up to its last heartbeat and marked as an estimate", async () => {
  const { actor, beat, read } = await scene(10, { stories: [1] });
  const job = await claim(actor);
  await beat(job, 0.4);
  expect(at((await read()).jobs, 0).input_tokens).toBeNull();
  await t.query`update public.agent_jobs set lease_until = now() where id = ${job.id}`;
  await claimAgentJob(actor, { worker: "w-2" });
  expect(at((await read()).jobs, 0)).toMatchObject({ input_tokens: 10, cost: 0.4 });
  const rows = await t.query`select estimated, seq from public.usage_events where job_id = ${job.id}`;
  expect(rows).toEqual([{ estimated: true, seq: "-1" }]);
});

it("Usage told by heartbeat counts once when the attempt reports its final usage", async () => {
  const { actor, beat, finish, read } = await scene(10, { stories: [1] });
  const job = await claim(actor);
  await beat(job, 0.4);
  await finish(job, 0.5);
  expect(at((await read()).jobs, 0)).toMatchObject({ cost: 0.5 });
  const rows = await t.query`select from public.usage_so_far where job_id = ${job.id}`;
  expect(rows).toEqual([]);
});

it("A worker that reports no usage works under a budget and is counted, unless the product refuses it", async () => {
  const { actor, product, budget } = await scene(10);
  const silent = await claim(actor, "quiet");
  const held = { job_id: silent.id, attempt: silent.attempt };
  await reportAgentJob(actor, { ...held, status: "done", verify_result: "ALIGNED" });
  expect(await budget()).toMatchObject({ spent: 0, unreported_jobs: 1 });
  await setBudgetSettings(actor, { product_id: product.id, unreported: "refuse" });
  expect(await claimRefusal(actor, "quiet")).toBe("budget");
  expect(await claim(actor, "new-here")).toMatchObject({ attempt: 1 });
  await setBudgetSettings(actor, { product_id: product.id, unreported: "allow" });
  expect(await claim(actor, "quiet")).toMatchObject({ attempt: 1 });
});

it("A forecast needs five finished tasks, and then spans the 20th to the 80th percentile", async () => {
  const { actor, product, sprint, finish } = await scene(100, {
    stories: Array(8).fill(1),
    task: { p_estimated_minutes: 30 },
  });
  const ask = () => getForecast(actor, { product_id: product.id, sprint_id: sprint.id });
  for (const cost of [1, 2, 3, 4]) await finish(await claim(actor), cost);
  expect(await ask()).toMatchObject({ tasks: 4, finished: 4, too_few: true, seconds: null });
  await finish(await claim(actor), 5);
  const forecast = await ask();
  expect(forecast).toMatchObject({ tasks: 3, finished: 5, too_few: false });
  // Three tasks of 3 on average, with a deviation of 1.58: 9 less and more 0.84 * 1.58 * sqrt(3).
  expect(forecast.costs).toMatchObject([{ currency: "USD", finished: 5 }]);
  expect(forecast.costs[0]?.low).toBeCloseTo(6.695, 2);
  expect(forecast.costs[0]?.high).toBeCloseTo(11.305, 2);
  const one = await getForecast(actor, { product_id: product.id });
  expect(one.costs).toMatchObject([{ low: 1.8, high: 4.2 }]);
});

it("A task's estimate is of whole tasks, failed attempts included, and widens where it did not hold", async () => {
  const { actor, product, tasks, finish } = await scene(1_000, { stories: Array(19).fill(1) });
  const ask = () => getForecast(actor, { product_id: product.id, task_ids: [at(tasks, 18).id] });
  for (const cost of [2, 2, 3, 4, 5, 6, 7]) await finish(await claim(actor), cost);
  // A job of the second task that was cleaned up.
  await t.query`insert into usage_events (product_id, task_id, attempt, seq, cost, currency, source)
      values (${product.id}, ${at(tasks, 0).id}, 1, 1, 6, 'USD', 'reported')`;
  const few = await ask();
  expect(few.estimate).toMatchObject({ of: 7, too_few: true, cost: null, tokens: null, minutes: null });
  expect(few.ceiling).toEqual({ amount: 5, currency: "USD" });
  await finish(await claim(actor), 1);
  const { estimate, ceiling } = await ask();
  expect(estimate).toMatchObject({ of: 8, too_few: false, cost: { low: 2.4, high: 6.6, currency: "USD" }, held_of: 0 });
  expect(ceiling).toEqual({ amount: 7.65, currency: "USD" });
  for (let cost = 9; cost <= 18; cost++) await finish(await claim(actor), cost);
  expect((await ask()).estimate).toMatchObject({ of: 18, cost: { low: 2.7, high: 16.3 }, held: 0, held_of: 10 });
});

it("Where agents report no money, the ceiling is in tokens", async () => {
  const { actor, product, tasks } = await scene(1_000);
  const { id: job_id, attempt } = await claim(actor);
  const event = { seq: 1, model_id: "m", input_tokens: 3_400, cost: 1, subscription: true };
  await reportJobUsage(actor, { job_id, attempt, events: [event] });
  const { ceiling } = await getForecast(actor, { product_id: product.id, task_ids: [at(tasks, 1).id] });
  expect(ceiling).toEqual({ tokens: 2_000_000 });
});

it("A forecast shows estimates next to actual times, and which tasks surprised", async () => {
  const { actor, product, finish } = await scene(100, { task: { p_estimated_minutes: 30 } });
  const job = await claim(actor);
  await finish(job, 1);
  await t.query`update public.job_attempts set started_at = ended_at - interval '2 hours' where job_id = ${job.id}`;
  expect(await getForecast(actor, { product_id: product.id })).toMatchObject({
    estimates: [{ size: "M", model_id: "m", tasks: 1, estimated_minutes: 30, actual_minutes: 120 }],
    surprises: [{ task_id: job.task_id, estimated_minutes: 30, actual_minutes: 120 }],
  });
});
