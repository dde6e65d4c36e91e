import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getInsights, listModelPrices, setModelPrice } from "~/nouns/insights/operations.server";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const admin = t.actorOf(await t.createUser({ role: "ADMIN" }));

describe("model prices", () => {
  it("are set by administrators, in US dollars by default, read by everyone, and removed", async () => {
    const price = { model_id: "m-set", input_per_million: 3, output_per_million: 15.5 };
    expect(await setModelPrice(admin, price)).toMatchObject({
      ...price,
      cache_read_per_million: 0,
      cache_write_per_million: 0,
      currency: "USD",
    });
    expect(
      await setModelPrice(admin, { model_id: "m-set", cache_read_per_million: 0.3 }),
    ).toMatchObject({
      input_per_million: 3,
      cache_read_per_million: 0.3,
    });
    const user = t.actorOf(await t.createUser());
    const own = (await listModelPrices(user)).prices.filter((p) => p.shipped === null);
    expect(own.map((p) => p.model_id)).toEqual(["m-set"]);
    expect(await statusOf(setModelPrice(user, price))).toBe(403);
    expect(await statusOf(setModelPrice(admin, { ...price, input_per_million: -1 }))).toBe(422);
    expect(await setModelPrice(admin, { model_id: "m-set" })).toEqual({
      model_id: "m-set",
      removed: true,
    });
  });
});

describe("shipped prices", () => {
  const model_id = "claude-sonnet-4-5";
  const costOf = async (model: string) => {
    const { rows } = await t.sql.query("select cost::float from private.price_usage($1)", [
      JSON.stringify({ model_id: model, input_tokens: 1_000_000, cache_read_tokens: 1_000_000 }),
    ]);
    return rows[0].cost;
  };
  const listed = async () =>
    (await listModelPrices(admin)).prices.find((price) => price.model_id === model_id);

  it("make costs known from the start, for a model with its provider and date as well", async () => {
    expect(await listed()).toMatchObject({ input_per_million: 3, shipped: "2026-10" });
    expect(await costOf(model_id)).toBe(3.3);
    expect(await costOf(`anthropic/${model_id}-20250929`)).toBe(3.3);
    expect(await costOf("gpt-5-2025-08-07")).toBe(1.375);
    expect(await costOf(`${model_id}-other`)).toBeNull();
  });

  it("give way to an own price, and come back when it is removed", async () => {
    await setModelPrice(admin, { model_id, input_per_million: 1, currency: "EUR" });
    expect(await listed()).toMatchObject({ currency: "EUR", shipped: null });
    expect(await costOf(`${model_id}-20250929`)).toBe(1);
    await setModelPrice(admin, { model_id });
    expect(await listed()).toMatchObject({ currency: "USD", shipped: "2026-10" });
    expect(await costOf(model_id)).toBe(3.3);
  });
});

describe("insights", () => {
  it("sum tokens and cost by story, sprint, day and model", async () => {
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

  it("burn down from the recorded history, which stays when a story leaves the sprint", async () => {
    const world = await t.seedSprint({ stories: [2, 1] });
    const day = (n: number) => new Date(Date.UTC(2026, 10, n, 12));
    await t.query`update public.sprints set start_date = '2026-11-01', end_date = '2026-11-03'
      where id = ${world.sprint.id}`;
    const record = async (task: number, status: string, at_: Date, sprint = world.sprint.id) =>
      t.query`
        insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, to_status, changed_at)
        select t.id, t.story_id, t.product_id, ${sprint}, ${status}::public.task_status, ${at_} from public.tasks t where t.id = ${at(world.tasks, task).id}`;
    await t.query`delete from public.task_status_changes where product_id = ${world.product.id}`;
    for (const task of [0, 1, 2]) await record(task, "TO_DO", day(1));
    await record(0, "DONE", day(2));
    await record(1, "IN_PROGRESS", day(2));
    await record(2, "DONE", day(3));
    const before = await getInsights(world.actor, {
      product_id: world.product.id,
      sprint_id: world.sprint.id,
    });
    expect(before.burndown).toEqual([
      { date: "2026-11-01", remaining: 3, started: 0, total: 3 },
      { date: "2026-11-02", remaining: 2, started: 1, total: 3 },
      { date: "2026-11-03", remaining: 1, started: 1, total: 3 },
    ]);
    await create(world.actor, "remove_story_from_sprint", { p_story_id: at(world.stories, 1).id });
    const afterwards = await getInsights(world.actor, {
      product_id: world.product.id,
      sprint_id: world.sprint.id,
    });
    expect(afterwards.burndown).toEqual(before.burndown);
  });

  it("follow what joins and leaves, and keep what was left when the sprint is completed", async () => {
    const world = await t.seedSprint({ stories: [2, 1] });
    const { actor, sprint } = world;
    const dayBefore = async (days: number) => {
      await t.query`
        update public.task_status_changes set changed_at = now() - make_interval(days => ${days})
        where product_id = ${world.product.id} and changed_at > now() - interval '12 hours'`;
    };
    await t.query`update public.sprints set start_date = (now() at time zone 'UTC')::date - 2
      where id = ${sprint.id}`;
    await dayBefore(2);
    const late = await create(actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Late" });
    await create(actor, "create_task", { p_story_id: late.id, p_title: "Late" });
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: late.id });
    await setTaskStatus(actor, { task_id: at(world.tasks, 0).id, status: "done" });
    await dayBefore(1);
    await create(actor, "remove_story_from_sprint", { p_story_id: at(world.stories, 1).id });
    const burndown = async () =>
      (
        await getInsights(actor, { product_id: world.product.id, sprint_id: sprint.id })
      ).burndown.map(({ remaining, total }) => [remaining, total]);
    const recorded = [
      [3, 3],
      [3, 4],
      [2, 3],
    ];
    expect(await burndown()).toEqual(recorded);
    await completeSprint(actor, { sprint_id: sprint.id });
    expect(await burndown()).toEqual(recorded);
  });

  it("answer for a product without sprint and jobs, and to members only", async () => {
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
});
