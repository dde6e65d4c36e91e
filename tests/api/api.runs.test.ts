import { expect, it } from "vitest";
import { z } from "zod";
import { heartbeatAgentJob, reportAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { getBudgets } from "~/nouns/budgets/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import {
  cancelSprintRun,
  getSprintRun,
  pauseSprintRun,
  resumeSprintRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { blockersDetailSchema, startedRunSchema } from "~/wire/sprint-runs/contract";
import { refusalOf } from "../db/refusal";
import { openApp } from "../setup/app";
import { at, claim, create, finish, type SprintOptions, type TestUser, wait } from "../setup/world";

const { t, app } = await openApp();
const unknown = "00000000-0000-4000-8000-000000000000";
const errorSchema = z.object({ error: z.string(), code: z.number() });

async function post(user: TestUser, body: unknown) {
  return app.send("POST", "/api/runs", body, await t.bearerOf(user));
}

async function started(user: TestUser, body: unknown) {
  const response = await post(user, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return startedRunSchema.parse(await response.json());
}

async function blockersOf(user: TestUser, body: unknown) {
  const response = await post(user, body);
  expect(response.status).toBe(409);
  return blockersDetailSchema.parse(await response.json()).blockers;
}

async function scene(options: SprintOptions = {}) {
  const world = await t.seedSprint(options);
  return { ...world, ids: world.tasks.map(({ id }) => id) };
}

it("A run of a story needs no sprint, and has one job a task in order on the story's branch", async () => {
  const { owner, actor, stories, ids, product } = await scene({ stories: [2, 1] });
  const { run, left_out } = await started(owner, { story_id: at(stories, 0).id });
  expect(left_out).toEqual([]);
  expect(run).toMatchObject({
    sprint_id: null,
    sprint_code: null,
    subject: at(stories, 0).code,
    status: "queued",
    pr_strategy: "STORY",
    jobs_total: 2,
    product_id: product.id,
    branch: `backloom/${at(stories, 0).code}`,
  });
  const { jobs } = await getSprintRun(actor, { sprint_run_id: run.id });
  expect(jobs.map(({ task_id, branch }) => [task_id, branch])).toEqual(ids.slice(0, 2).map((id) => [id, run.branch]));
  const job = await claim(actor);
  expect(job.run).toMatchObject({ id: run.id, sprint_id: null, sprint_code: null });
});

it("A run takes a task that no sprint has, and tasks of several stories on a branch each", async () => {
  const { owner, actor, pbi, stories, ids } = await scene({ stories: [1, 1] });
  const story = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Alone" });
  const task = await create(actor, "create_task", {
    p_story_id: story.id,
    p_title: "Alone",
    p_implementation_plan: "Do",
  });
  const one = await started(owner, { task_ids: [task.id, task.id] });
  expect(one.run).toMatchObject({ subject: task.code, branch: `backloom/${story.code}` });
  const many = await started(owner, { task_ids: [...ids].reverse() });
  const { jobs } = await getSprintRun(actor, { sprint_run_id: many.run.id });
  expect(jobs.map(({ task_id }) => task_id)).toEqual(ids);
  expect(jobs.map(({ branch }) => branch)).toEqual(stories.map(({ code }) => `backloom/${code}`));
});

it("A run makes one batch of its tasks where that is asked for", async () => {
  const { owner, actor, ids } = await scene({ stories: [2] });
  const { run } = await started(owner, { task_ids: ids, strategy: "SPRINT_BATCH" });
  const { jobs, executions } = await getSprintRun(actor, { sprint_run_id: run.id });
  expect(jobs).toMatchObject([{ kind: "SPRINT_IMPLEMENTATION" }]);
  expect(executions.map(({ task_id }) => task_id)).toEqual(ids);
});

it("A run of tasks fails alone: the sprint stays active, and the tasks can be run again", async () => {
  const { owner, actor, sprint, tasks, ids } = await scene({ stories: [2] });
  const { run } = await started(owner, { task_ids: ids });
  const { id, attempt } = await claim(actor);
  await reportAgentJob(actor, { job_id: id, attempt, status: "failed", failure_reason: "Broke" });
  expect(await getSprintRun(actor, { sprint_run_id: run.id })).toMatchObject({
    status: "failed",
    failure: { task_id: at(ids, 0), reason: "Broke" },
  });
  expect(await t.columnOf("sprints", sprint.id, "status")).toBe("ACTIVE");
  const again = await started(owner, { task_ids: ids });
  expect(await t.statusesOf("tasks", tasks)).toEqual(["TO_DO", "TO_DO"]);
  expect(again.run).toMatchObject({ status: "queued", branch: run.branch });
  await claim(actor);
});

it("A task is in one unfinished run at most, with or without a sprint", async () => {
  const { owner, actor, sprint, tasks, ids } = await scene({ stories: [2] });
  const { run } = await started(owner, { task_ids: [ids[0]] });
  expect(await blockersOf(owner, { task_ids: ids })).toMatchObject([
    { type: "run_unfinished", task_id: ids[0], sprint_run_id: run.id },
  ]);
  const start = (leave_out?: boolean) => startSprintRun(actor, { sprint_id: sprint.id, leave_out });
  expect(blockersDetailSchema.parse((await refusalOf(start())).detail).blockers).toMatchObject([
    { type: "task_in_run", task_code: at(tasks, 0).code, sprint_run_id: run.id },
  ]);
  const left = await start(true);
  expect(left).toMatchObject({ jobs_total: 1, left_out: [{ task_id: ids[0], type: "task_in_run" }] });
  expect(await blockersOf(owner, { task_ids: [ids[1]] })).toMatchObject([
    { type: "run_unfinished", task_id: ids[1], sprint_run_id: left.id },
  ]);
});

it("Of two runs started with the same task at once, one wins and the other learns what holds the task", async () => {
  const { owner, ids } = await scene({ stories: [1] });
  const answers = await Promise.all(["", ""].map(() => post(owner, { task_ids: ids })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const lost = answers.find(({ status }) => status === 409);
  const { blockers } = blockersDetailSchema.parse(await lost?.json());
  expect(blockers).toMatchObject([{ type: "run_unfinished", task_id: ids[0] }]);
});

it("A refused run names all done tasks and missing plans at once, and can start with what is ready", async () => {
  const { owner, actor, ids } = await scene({ stories: [3], plan: (_, n) => (n === 2 ? undefined : "Do") });
  await updateTask(actor, { task_id: at(ids, 0), status: "done" });
  expect((await blockersOf(owner, { task_ids: ids })).map(({ type, task_id }) => [type, task_id])).toEqual([
    ["task_done", ids[0]],
    ["task_no_plan", ids[1]],
  ]);
  const { run, left_out } = await started(owner, { task_ids: ids, leave_out: true });
  expect(run.jobs_total).toBe(1);
  expect(left_out).toEqual([
    { task_id: ids[0], task_code: expect.any(String), type: "task_done", reason: expect.any(String) },
    { task_id: ids[1], task_code: expect.any(String), type: "task_no_plan", reason: expect.any(String) },
  ]);
  const none = await blockersOf(owner, { task_ids: ids.slice(0, 2), leave_out: true });
  expect(none.map(({ type }) => type)).toEqual(["task_done", "task_no_plan"]);
});

it("A run that may leave out tasks also leaves out those that wait for one of them", async () => {
  const { owner, actor, tasks, ids } = await scene({ stories: [2], plan: (_, n) => (n === 1 ? undefined : "Do") });
  await wait(actor, at(tasks, 1), at(tasks, 0));
  const none = await blockersOf(owner, { task_ids: ids, leave_out: true });
  expect(none).toMatchObject([{ type: "task_no_plan" }]);
  expect(await blockersOf(owner, { task_ids: [ids[1]] })).toMatchObject([
    { type: "dependency_outside", task_id: ids[1], dependency: { blocker_id: ids[0] } },
  ]);
  await started(owner, { task_ids: ids, plan_first: true });
});

it("A run takes descriptions as plans, or lets agents plan, as requested", async () => {
  const { owner, actor, ids } = await scene({
    stories: [2],
    plan: () => undefined,
    task: { p_description: "Add a footer" },
  });
  const { run } = await started(owner, { task_ids: [ids[0]], use_description: true });
  expect(run.plan_first).toBe(false);
  expect(await t.columnOf("tasks", at(ids, 0), "implementation_plan")).toBe("Add a footer");
  expect(await claim(actor)).toMatchObject({ plan: "Add a footer", plan_first: false });
  await cancelSprintRun(actor, { sprint_run_id: run.id });
  await started(owner, { task_ids: [ids[1]], plan_first: true });
  const job = await claim(actor);
  expect(job).toMatchObject({ plan: null, plan_first: true });
  const held = { job_id: job.id, attempt: job.attempt };
  await reportAgentJob(actor, { ...held, status: "running", implementation_plan: "1. Begin" });
  expect(await t.columnOf("tasks", at(ids, 1), "implementation_plan")).toBe("1. Begin");
  expect(await t.columnOf("agent_jobs", job.id, "plan_snapshot")).toBe("1. Begin");
  await reportAgentJob(actor, { ...held, status: "running", implementation_plan: "Another" });
  expect(await t.columnOf("tasks", at(ids, 1), "implementation_plan")).toBe("1. Begin");
  const late = { ...held, attempt: 7, status: "running" as const, implementation_plan: "Late" };
  expect((await refusalOf(reportAgentJob(actor, late))).status).toBe(409);
});

it("Agents plan first by themselves where the product says auto, and never where it says never", async () => {
  const { owner, actor, product, ids } = await scene({ stories: [2], plan: () => undefined });
  const set = (plan_first: "ask" | "auto" | "never") => updateProduct(actor, { product_id: product.id, plan_first });
  expect(await set("never")).toMatchObject({ plan_first: "never" });
  expect(await blockersOf(owner, { task_ids: ids, plan_first: true })).toHaveLength(2);
  await set("auto");
  expect(await blockersOf(owner, { task_ids: ids, plan_first: false })).toHaveLength(2);
  expect((await started(owner, { task_ids: ids })).run.plan_first).toBe(true);
});

it("A run continues on the story's branch, and takes another while that is at work or once landed", async () => {
  const { owner, actor, stories, ids } = await scene({ stories: [3] });
  const base = `backloom/${at(stories, 0).code}`;
  const branchOf = async (id: string | undefined) => (await started(owner, { task_ids: [id] })).run.branch;
  expect(await branchOf(ids[0])).toBe(base);
  expect(await branchOf(ids[1])).toBe(`${base}-2`);
  const end = async (merged: boolean) => {
    const job = await claim(actor);
    await finish(actor, job, {
      base_sha: "0".repeat(40),
      head_sha: "a".repeat(40),
      pushed_at: new Date().toISOString(),
    });
    if (merged) {
      await t.query`update public.agent_jobs set merged_at = now() where id = ${job.id}`;
    }
    return job;
  };
  await end(false);
  expect((await end(false)).begins_from).toMatchObject([{ branch: base, head_sha: "a".repeat(40) }]);
  expect(await branchOf(ids[2])).toBe(`${base}-2`);
  await end(true);
  await updateTask(actor, { task_id: at(ids, 2), status: "todo" });
  expect(await branchOf(ids[2])).toBe(`${base}-3`);
});

it("A run without a sprint is paused, resumed and cancelled, and says why its task does not move", async () => {
  const { owner, actor, ids, tasks } = await scene({ stories: [1] });
  const { run } = await started(owner, { task_ids: ids });
  const which = { sprint_run_id: run.id };
  expect(await pauseSprintRun(actor, which)).toMatchObject({ status: "paused", sprint_id: null });
  const { pause_question } = await getSprintRun(actor, which);
  expect(pause_question?.question).toContain(`The run of ${at(tasks, 0).code} is paused`);
  expect((await whyNotMoving(actor, { kind: "task", id: at(ids, 0) })).reasons[0]).toMatchObject({
    code: "paused",
    sprint_run_id: run.id,
  });
  expect(await resumeSprintRun(actor, which)).toMatchObject({ status: "queued" });
  expect(await cancelSprintRun(actor, which)).toMatchObject({ status: "cancelled" });
  expect((await whyNotMoving(actor, { kind: "task", id: at(ids, 0) })).text).toContain("run this task by itself");
});

it("A run is refused without tasks, with those of two products, with unknown ids and to strangers", async () => {
  const { owner, ids, stories } = await scene({ stories: [1] });
  const other = await scene({ stories: [1] });
  const none = await t.createUser();
  for (const [user, body, status] of [
    [owner, {}, 422],
    [owner, { task_ids: [] }, 422],
    [owner, { task_ids: ids, story_id: at(stories, 0).id }, 422],
    [owner, { task_ids: ids, strategy: "ALL" }, 422],
    [owner, { task_ids: [...ids, unknown] }, 404],
    [owner, { story_id: unknown }, 404],
    [owner, { task_ids: [...ids, ...other.ids] }, 403],
    [none, { task_ids: ids }, 403],
  ] as const) {
    const response = await post(user, body);
    expect(response.status, JSON.stringify(body)).toBe(status);
    expect(errorSchema.parse(await response.json())).toMatchObject({ code: status });
  }
  const second = await t.seedProduct(owner);
  const pbi = await create(t.actorOf(owner), "create_pbi", { p_product_id: second.id, p_title: "P" });
  const story = await create(t.actorOf(owner), "create_story", { p_pbi_id: pbi.id, p_title: "S" });
  const task = await create(t.actorOf(owner), "create_task", { p_story_id: story.id, p_title: "T" });
  expect((await post(owner, { task_ids: [...ids, task.id] })).status).toBe(422);
  expect(await blockersOf(owner, { story_id: story.id })).toMatchObject([{ type: "task_no_plan" }]);
  await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
      values ('enqueue', ${other.owner.id}, now(), 30)`;
  expect((await post(other.owner, { task_ids: other.ids })).status).toBe(429);
  const demo = await t.createUser({ demo: true });
  expect((await post(demo, { task_ids: ids })).status).toBe(403);
});

it("A ceiling is the budget of each task of a start, and a token lowers one only", async () => {
  const { owner, actor, ids, product, sprint } = await scene({ stories: [1, 1] });
  const budgets = async () => {
    const each = ids.map(async (task_id) => (await getBudgets(actor, { product_id: product.id, task_id })).budgets);
    return (await Promise.all(each)).flat().map(({ scope, unit, amount }) => `${scope} ${amount} ${unit}`);
  };
  const cancel = (sprint_run_id: string) => cancelSprintRun(actor, { sprint_run_id });
  const byToken = async (ceiling?: unknown) => {
    await cancel((await started(owner, { task_ids: ids, ceiling })).run.id);
    return budgets();
  };
  expect(await byToken()).toEqual([]);
  expect(await byToken({ amount: 2, currency: "USD" })).toEqual(["task 2 USD", "task 2 USD"]);
  expect(await byToken({ amount: 9, currency: "USD" })).toEqual(["task 2 USD", "task 2 USD"]);
  expect(await byToken({ amount: 1.5, currency: "USD" })).toEqual(["task 1.5 USD", "task 1.5 USD"]);
  expect((await post(owner, { task_ids: ids, ceiling: { amount: 1 } })).status).toBe(422);
  expect((await post(owner, { task_ids: ids, ceiling: { tokens: 0 } })).status).toBe(422);
  const member = await t.newMember(product.id);
  const start = { sprint_id: sprint.id, ceiling: { amount: 4, currency: "USD" } };
  await cancel((await startSprintRun(member.actor, start)).id);
  expect(await budgets()).toEqual(["task 1.5 USD", "task 1.5 USD"]);
  await cancel((await startSprintRun(actor, start)).id);
  expect(await budgets()).toEqual(["task 4 USD", "task 4 USD"]);
});

it("A task that reaches its ceiling stops with its work kept, and the run asks a person", async () => {
  const { owner, actor, ids } = await scene({ strategy: "STORY", stories: [1, 1] });
  const { run } = await started(owner, { task_ids: ids, ceiling: { tokens: 300_000 } });
  const [first, second] = [await claim(actor), await claim(actor, "worker-2")];
  expect(first.budget_left).toEqual([{ unit: "tokens", amount: 300_000 }]);
  const beat = (job: { id: string; attempt: number }, input_tokens: number) => {
    const usage = { models: [{ model_id: "m", input_tokens }] };
    return heartbeatAgentJob(actor, { job_id: job.id, attempt: job.attempt, usage });
  };
  expect(await beat(second, 400)).toMatchObject({ action: "continue" });
  expect(await beat(first, 320_000)).toMatchObject({ action: "stop", reason: { code: "budget" } });
  const { status, pause_question, jobs } = await getSprintRun(actor, { sprint_run_id: run.id });
  expect(status).toBe("paused");
  expect(pause_question?.question).toContain(`The budget of task ${first.task?.code} is reached`);
  expect(jobs.map((job) => job.status).sort()).toEqual(["claimed", "queued"]);
});

it("A batch's ceiling is a budget of the run, for all its tasks", async () => {
  const { owner, actor, ids, product } = await scene({ stories: [3] });
  const ceiling = { amount: 2, currency: "EUR" };
  const { run } = await started(owner, { task_ids: ids, strategy: "SPRINT_BATCH", ceiling });
  const { budgets } = await getBudgets(actor, { product_id: product.id, sprint_run_id: run.id });
  expect(budgets).toMatchObject([{ scope: "run", unit: "EUR", amount: 6 }]);
});
