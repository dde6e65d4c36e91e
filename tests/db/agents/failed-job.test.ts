import { expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import {
  getAgentJob,
  heartbeatAgentJob,
  reportAgentJob,
  takeAgentJob,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { answerQuestion, cancelQuestion, listQuestions } from "~/nouns/questions/operations.server";
import { sweep } from "~/nouns/schedules/operations.server";
import { cancelSprintRun, getSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import {
  at,
  claim,
  claimRefusal,
  finish,
  type SprintOptions,
  type SprintWorld,
  wait,
  waitStory,
} from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

it("A failed job fails task, story, PBI, sprint, and run at once, and cancels the run's other jobs", async () => {
  const { world, run, report, task } = await t.holdJob({ stories: [2, 1] });
  await report({ status: "failed", failure_class: "agent_error", failure_reason: "No idea" });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["FAILED", "TO_DO", "TO_DO"]);
  expect(await t.statusesOf("stories", world.stories)).toEqual(["FAILED", "IN_SPRINT"]);
  expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("FAILED");
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
  const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(ended).toMatchObject({
    status: "failed",
    failure: { task_id: task.id, task_code: "T-1", failure_class: "agent_error", reason: "No idea" },
    counts: { failed: 1, cancelled: 2 },
  });
  expect(ended.jobs.every((job) => job.finished_at !== null)).toBe(true);
  expect(ended.jobs[1]).toMatchObject({ failure_class: "cancelled" });
});

it("A failed job changes task, story, PBI, sprint, and run in the transaction that reported it", async () => {
  const { world, report } = await t.holdJob({ stories: [2, 1] });
  await report({ status: "failed" });
  const rows = await t.query`select table_name, count(distinct writer)::int as writers, min(writer) as writer from (
         select 'tasks' as table_name, xmin::text as writer from public.tasks where product_id = ${world.product.id}
           and status = 'FAILED'
         union all select 'stories', xmin::text from public.stories where product_id = ${world.product.id}
           and status = 'FAILED'
         union all select 'pbis', xmin::text from public.pbis where product_id = ${world.product.id}
         union all select 'sprints', xmin::text from public.sprints where product_id = ${world.product.id}
         union all select 'sprint_runs', xmin::text from public.sprint_runs where product_id = ${world.product.id}
         union all select 'agent_jobs', xmin::text from public.agent_jobs where product_id = ${world.product.id}) x
       group by table_name`;
  expect(rows).toHaveLength(6);
  expect(rows.map(({ writers }) => writers)).toEqual(Array(6).fill(1));
  expect(new Set(rows.map(({ writer }) => writer)).size).toBe(1);
});

it("A failed job never overwrites a blocked PBI", async () => {
  const { world, report } = await t.holdJob();
  await t.query`update public.pbis set status = 'BLOCKED' where id = ${world.pbi.id}`;
  await report({ status: "failed" });
  expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("BLOCKED");
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
});

it("A task that someone fails by hand fails its run and cancels the run's other jobs", async () => {
  const { world, run, job } = await t.holdJob({ stories: [2] });
  await t.query`update public.tasks set status = 'FAILED' where id = ${at(world.tasks, 1).id}`;
  const ended = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(ended.status).toBe("failed");
  expect(ended.jobs.map(({ status }) => status)).toEqual(["cancelled", "failed"]);
  expect(await heartbeatAgentJob(world.actor, { job_id: job.id, attempt: 1 })).toMatchObject({
    action: "stop",
    reason: { code: "cancelled" },
  });
});

it("A failed task that belongs to no unfinished run leaves its sprint and runs alone", async () => {
  const { world, run } = await t.holdJob();
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  await t.query`update public.tasks set status = 'FAILED' where product_id = ${world.product.id}`;
  expect(await t.columnOf("stories", at(world.stories, 0).id, "status")).toBe("FAILED");
  expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("ACTIVE");
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("CANCELLED");
});

it("A rate-limited job returns to the queue until the limit ends, with no retry counted", async () => {
  const { world, job, report } = await t.holdJob();
  const resetsAt = new Date(Date.now() + 3_600_000).toISOString();
  const rest = { status: "failed", failure_class: "rate_limited", resets_at: resetsAt } as const;
  const waiting = await report(rest);
  expect(waiting).toMatchObject({ status: "queued", retry_count: 0, finished_at: null });
  expect(Date.parse(waiting.not_before ?? "")).toBe(Date.parse(resetsAt));
  expect((await report(rest)).status).toBe("queued");
  expect(await statusOf(report({ status: "done", verify_result: "ALIGNED" }))).toBe(409);
  expect(await claimRefusal(world.actor)).toBe("not_before");
  await t.query`update public.agent_jobs set not_before = now() where id = ${job.id}`;
  expect(await claim(world.actor)).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("IN_PROGRESS");
});

/** A run of a product that asks, whose first job has failed. */
async function failed(options: SprintOptions, prepare?: (world: SprintWorld) => Promise<void>) {
  const world = await t.seedSprint({ strategy: "STORY", ...options });
  const { actor, product, start } = world;
  await updateProduct(actor, { product_id: product.id, on_failure: "ask" });
  await prepare?.(world);
  const run = await start();
  const job = await claim(actor);
  const report = () =>
    reportAgentJob(actor, {
      job_id: job.id,
      attempt: job.attempt,
      status: "failed",
      failure_class: "agent_error",
      failure_reason: "No idea",
    });
  await report();
  const question = at((await listQuestions(actor, { state: "open" })).questions, 0);
  const readRun = () => getSprintRun(actor, { sprint_run_id: run.id });
  return { ...world, run, job, report, question, readRun };
}

async function finishNext(actor: Actor, worker?: string) {
  const job = await claim(actor, worker);
  await finish(actor, job);
  return job;
}

it("A failed attempt in a product that asks leaves its job queued and asks a person what follows", async () => {
  const { actor, job, question, report, readRun, tasks } = await failed({ stories: [1, 1] });
  expect(question).toMatchObject({
    job_id: job.id,
    task_id: at(tasks, 0).id,
    question: "T-1 has failed in attempt 1: No idea. What should happen next?",
    asks: "failure",
    options: [
      { label: "Try again" },
      { label: "Skip it and what it blocks" },
      { label: "Stop the run" },
      { label: "I take it over", description: expect.stringContaining("take T-1") },
    ],
  });
  const run = await readRun();
  expect(run).toMatchObject({ status: "running", failure: null });
  expect(run.jobs[0]).toMatchObject({ status: "queued", task_status: "in_progress" });
  const [attempt] = (await getAgentJob(actor, { job_id: job.id })).attempts;
  expect(attempt).toMatchObject({ outcome: "failed" });
  expect((await whyNotMoving(actor, { kind: "job", id: job.id })).reasons[0]?.code).toBe("question");
  // An answer may get lost, so a worker says it again.
  expect(await report()).toMatchObject({ status: "queued" });
  expect((await listQuestions(actor, { state: "open" })).questions).toHaveLength(1);
  expect(await heartbeatAgentJob(actor, { job_id: job.id, attempt: 1 })).toMatchObject({ action: "stop" });
});

it("A failed job that waits for an answer leaves its branch to the next task, and follows after it", async () => {
  const { actor, job, question } = await failed({ stories: [3] });
  const second = await claim(actor, "worker-2");
  expect(second.task?.code).toBe("T-2");
  await answerQuestion(actor, { question_id: question.id, option: 0, answer: "Use the new API" });
  expect(await claimRefusal(actor)).toBe("order");
  await reportAgentJob(actor, { job_id: second.id, attempt: 1, status: "done", verify_result: "ALIGNED" });
  const again = await claim(actor);
  expect(again).toMatchObject({ id: job.id, attempt: 2, previous_failure: "No idea" });
  expect(again.questions).toMatchObject([{ answer: "Try again: Use the new API" }]);
  await reportAgentJob(actor, { job_id: job.id, attempt: 2, status: "done", verify_result: "ALIGNED" });
  expect((await finishNext(actor)).task?.code).toBe("T-3");
});

it.each(["a text", "a dismissal"])("A failed job is tried again on %s, with all its retries", async (answer) => {
  const { actor, job, question } = await failed({ stories: [1] });
  await t.query`update agent_jobs set retry_count = 3 where id = ${job.id}`;
  const { reasons } = await whyNotMoving(actor, { kind: "job", id: job.id });
  expect(reasons.map(({ code }) => code)).not.toContain("order");
  if (answer === "a text") await answerQuestion(actor, { question_id: question.id, answer: "Look twice" });
  else await cancelQuestion(actor, { question_id: question.id });
  expect(await claim(actor)).toMatchObject({ id: job.id, attempt: 2 });
  expect(await t.columnOf("agent_jobs", job.id, "retry_count")).toBe(0);
});

it("A failed job that a person takes over waits for their terminal, before the tasks that it blocks", async () => {
  const { actor, job, question, tasks } = await failed({ stories: [2] }, (world) =>
    wait(world.actor, at(world.tasks, 1), at(world.tasks, 0)),
  );
  await answerQuestion(actor, { question_id: question.id, option: 3 });
  expect(await claimRefusal(actor)).toBe("held");
  const taken = await takeAgentJob(actor, { task: at(tasks, 0).code });
  expect(taken.job).toMatchObject({ id: job.id, attempt: 2 });
});

it("A skipped job takes everything that waits for it with it, and the run ends done", async () => {
  const world = await failed({ stories: [1, 1, 1, 1] }, async ({ actor, tasks, stories }) => {
    await wait(actor, at(tasks, 1), at(tasks, 0));
    await waitStory(actor, at(stories, 2), at(stories, 1));
  });
  const { actor, question, readRun } = world;
  await finishNext(actor);
  await answerQuestion(actor, { question_id: question.id, option: 1 });
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["TO_DO", "TO_DO", "TO_DO", "DONE"]);
  const run = await readRun();
  expect(run.status).toBe("done");
  expect(run.jobs.map(({ status, failure_reason }) => [status, failure_reason])).toEqual([
    ["cancelled", "Skipped. No idea"],
    ["cancelled", "Skipped with T-1, which it waits for."],
    ["cancelled", "Skipped with T-1, which it waits for."],
    ["done", null],
  ]);
  // What was skipped is there for the next run.
  const next = await startSprintRun(actor, { sprint_id: world.sprint.id });
  expect((await getSprintRun(actor, { sprint_run_id: next.id })).jobs).toHaveLength(3);
});

it.each(["stop", "no one answers in time", "a person fails the task"])(
  "A failed job that a person was asked about fails its run on: %s",
  async (end) => {
    const world = await failed({ stories: [1, 1] });
    const { actor, question, readRun, tasks } = world;
    if (end === "stop") await answerQuestion(actor, { question_id: question.id, option: 2 });
    if (end === "no one answers in time") {
      await t.expireQuestion(question.id);
      await sweep(t.database);
    }
    if (end === "a person fails the task") {
      await t.query`update tasks set status = 'FAILED' where id = ${at(tasks, 0).id}`;
    }
    expect(await readRun()).toMatchObject({
      status: "failed",
      failure: { task_code: "T-1", failure_class: "agent_error", reason: "No idea" },
      counts: { failed: 1, cancelled: 1 },
    });
    expect(await t.statusesOf("tasks", world.tasks)).toEqual(["FAILED", "TO_DO"]);
    expect(await t.columnOf("sprints", world.sprint.id, "status")).toBe("FAILED");
    expect((await listQuestions(actor, { state: "open" })).questions).toEqual([]);
  },
);

it("A person is asked about a job that lost its lease for the last time, where the product asks", async () => {
  const { actor, product, sprint } = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  await updateProduct(actor, { product_id: product.id, on_failure: "ask" });
  await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  await t.query`update agent_jobs set retry_count = 3, lease_until = now() - interval '1 second' where id = ${job.id}`;
  await sweep(t.database);
  const { questions } = await listQuestions(actor, { state: "open" });
  expect(questions).toMatchObject([{ job_id: job.id }]);
  expect(at(questions, 0).question).toContain("All 3 retries are used up.");
  await finishNext(actor, "worker-2");
  expect(await claimRefusal(actor)).toBe("question");
});

it("The question about a failed job is decided once, no matter who answers at the same moment", async () => {
  for (let round = 0; round < 5; round++) {
    const { actor, question, readRun } = await failed({ stories: [1, 1] });
    const answers = await Promise.all(
      [0, 1, 2, 0, 1, 2].map((option) =>
        answerQuestion(actor, { question_id: question.id, option }).then(
          () => option,
          async (error) => expect(await statusOf(Promise.reject(error))).toBe(409),
        ),
      ),
    );
    const [won, ...others] = answers.filter((answer) => typeof answer === "number");
    expect(others).toEqual([]);
    const run = await readRun();
    const ends = ["running queued", "running cancelled", "failed failed"];
    expect(`${run.status} ${run.jobs[0]?.status}`).toBe(ends[Number(won)]);
  }
});

it("A cancelled run leaves no question about its failed job behind", async () => {
  const { actor, run, question } = await failed({ stories: [1, 1] });
  await cancelSprintRun(actor, { sprint_run_id: run.id });
  expect(await t.columnOf("agent_questions", question.id, "status")).toBe("CANCELLED");
  expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(409);
});

it("A batch job fails at once, even where the product asks", async () => {
  const { actor, sprint, product } = await t.seedSprint({ strategy: "SPRINT_BATCH" });
  await updateProduct(actor, { product_id: product.id, on_failure: "ask" });
  await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  expect(await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "failed" })).toMatchObject({
    status: "failed",
  });
});
