import { expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import {
  cancelSprintRun,
  getSprintRun,
  listSprintRuns,
  preflightSprintRun,
  resumeSprint,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { blockersDetailSchema } from "~/wire/sprint-runs/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create, type SprintWorld } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();

async function refusedBlockers(world: SprintWorld) {
  const refusal = await refusalOf(world.start());
  expect(refusal.status).toBe(409);
  const rows = await t.query`select (select count(*) from public.sprint_runs
      where product_id = ${world.product.id})::int as runs, (select count(*) from public.agent_jobs
        where product_id = ${world.product.id})::int as jobs`;
  expect(rows[0]).toEqual({ runs: 0, jobs: 0 });
  return blockersDetailSchema.parse(refusal.detail).blockers;
}

it("A run can be started with 1,200 tasks in the time that a test may take", async () => {
  const world = await t.seedSprint({ stories: [1] });
  await t.query`insert into public.tasks (product_id, story_id, code, title, implementation_plan)
      select product_id, story_id, 'N-' || n, 'One of many', 'Do it.'
      from public.tasks, generate_series(2, 1200) n where id = ${at(world.tasks, 0).id}`;
  const run = await world.start();
  expect(run.counts).toMatchObject({ queued: 1_200 });
});

it("A run under SPRINT has one job per task on one branch, in the order of PBIs, stories, and tasks", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  const run = await world.start();
  expect(run).toMatchObject({
    status: "queued",
    pr_strategy: "SPRINT",
    sprint_id: world.sprint.id,
    previous_run_id: null,
    pause_context: null,
    jobs_total: 3,
    branch: `backloom/${world.product.code}/SP-1-run-1`,
  });
  const { jobs, executions } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(executions).toEqual([]);
  expect(jobs.map((job) => job.task_id)).toEqual(world.tasks.map((task) => task.id));
  expect(jobs.every((job) => job.kind === "TASK_IMPLEMENTATION" && job.status === "queued")).toBe(true);
  expect(new Set(jobs.map((job) => job.branch))).toEqual(new Set([run.branch]));
  expect(jobs.map((job) => job.in_turn)).toEqual([true, false, false]);
});

it("The jobs of a run follow the PBI's priority, then the codes, never a story's priority", async () => {
  const world = await t.seedSprint({ stories: [1, 1] });
  const { actor, product } = world;
  const first = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "Urgent", p_priority: 1 });
  const story = await create(actor, "create_story", { p_pbi_id: first.id, p_title: "Urgent story", p_priority: 9 });
  const planned = { p_title: "Urgent task", p_implementation_plan: "Do" };
  const task = await create(actor, "create_task", { p_story_id: story.id, ...planned });
  await create(world.actor, "add_story_to_sprint", { p_sprint_id: world.sprint.id, p_story_id: story.id });
  const run = await world.start();
  const { jobs } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(jobs.map((job) => job.task_id)).toEqual([task.id, ...world.tasks.map(({ id }) => id)]);
});

it("A run under STORY gives each story a branch and a lane of its own", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2, 2] });
  const run = await world.start();
  const { jobs } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(jobs.map((job) => job.branch)).toEqual(
    world.stories.flatMap((s) => s.tasks.map(() => `${run.branch}--${s.code}`)),
  );
  expect(jobs.map((job) => job.in_turn)).toEqual([true, false, true, false]);
});

it("A run under SPRINT_BATCH has exactly one SPRINT_IMPLEMENTATION job and frozen executions", async () => {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [2, 1] });
  const run = await world.start();
  await t.query`update public.tasks set implementation_plan = 'edited', verify_required = 'ANY'
      where product_id = ${world.product.id}`;
  const { jobs, executions } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  expect(jobs).toHaveLength(1);
  const batch = { kind: "SPRINT_IMPLEMENTATION", sprint_run_id: run.id, task_id: at(world.tasks, 0).id, idea_id: null };
  expect(jobs[0]).toMatchObject(batch);
  expect(executions.map((e) => [e.task_id, e.status, e.plan_snapshot, e.verify_required])).toEqual(
    world.stories.flatMap((s, i) =>
      s.tasks.map((task, n) => [task.id, "pending", `Change src/part-${i + 1}-${n + 1}.ts`, "ALIGNED_OR_PARTIAL"]),
    ),
  );
});

it("A run leaves out tasks that are already done", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  await updateTask(world.actor, { task_id: at(world.tasks, 0).id, status: "done" });
  const run = await world.start();
  expect(run.jobs_total).toBe(2);
});

it("A sprint has one unfinished run at most, and may have another after its end", async () => {
  const world = await t.seedSprint();
  const run = await world.start();
  const refusal = await refusalOf(world.start());
  expect(refusal.status).toBe(409);
  expect(blockersDetailSchema.parse(refusal.detail).blockers).toMatchObject([
    { type: "run_unfinished", sprint_run_id: run.id },
  ]);
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  const second = await world.start();
  expect(second.branch).toMatch(/SP-1-run-2$/);
  const { runs } = await listSprintRuns(world.actor, { product_id: world.product.id });
  expect(runs.map(({ id }) => id)).toEqual([second.id, run.id]);
});

it("A refused start names every task without a plan, blank plans too", async () => {
  const world = await t.seedSprint({ stories: [3], plan: (_, n) => [undefined, " \n", "Do"][n - 1] });
  const blockers = await refusedBlockers(world);
  expect(blockers.map((b) => [b.type, b.task_id])).toEqual([
    ["task_no_plan", at(world.tasks, 0).id],
    ["task_no_plan", at(world.tasks, 1).id],
  ]);
});

it("A refused start names an open question of a story of the sprint, until the question expires", async () => {
  const world = await t.seedSprint();
  const question = await askQuestion(world.actor, { story_id: at(world.stories, 0).id, question: "Which color?" });
  expect(await refusedBlockers(world)).toMatchObject([
    { type: "open_question", question_id: question.id, story_id: at(world.stories, 0).id },
  ]);
  await t.query`update public.agent_questions set expires_at = now() where id = ${question.id}`;
  expect((await preflightSprintRun(world.actor, { sprint_id: world.sprint.id })).ready).toBe(true);
});

it("A refused start names a blocked PBI", async () => {
  const world = await t.seedSprint();
  await t.query`update public.pbis set status = 'BLOCKED' where id = ${world.pbi.id}`;
  expect(await refusedBlockers(world)).toMatchObject([
    { type: "pbi_blocked", pbi_id: world.pbi.id, pbi_code: world.pbi.code },
  ]);
});

it("A refused start names a failed PBI", async () => {
  const world = await t.seedSprint();
  await t.query`update public.tasks set status = 'FAILED' where id = ${at(world.tasks, 0).id}`;
  expect(await t.columnOf("pbis", world.pbi.id, "status")).toBe("FAILED");
  expect(await refusedBlockers(world)).toMatchObject([{ type: "pbi_failed", pbi_id: world.pbi.id }]);
});

it("A start is refused for a task of another repository under SPRINT_BATCH only", async () => {
  const other = { p_repo_url: "https://example.com/other" };
  const batch = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [1], task: other });
  expect(await refusedBlockers(batch)).toMatchObject([{ type: "task_cross_repo", task_id: at(batch.tasks, 0).id }]);
  for (const strategy of ["SPRINT", "STORY"] as const) {
    const world = await t.seedSprint({ strategy, stories: [1], task: other });
    await world.start();
  }
  const own = { p_repo_url: "https://example.com/ledger" };
  const same = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [1], task: own });
  await same.start();
});

it("A refused start lists all blockers at once, in words", async () => {
  const world = await t.seedSprint({ stories: [2], plan: (_, n) => (n === 1 ? undefined : "Do") });
  await t.query`update public.pbis set status = 'BLOCKED' where id = ${world.pbi.id}`;
  await askQuestion(world.actor, { task_id: at(world.tasks, 1).id, question: "Really?" });
  const preflight = await preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
  expect(preflight).toMatchObject({ ready: false, tasks_total: 2, jobs_total: 2 });
  expect(preflight.blockers.map((b) => b.type)).toEqual(["task_no_plan", "open_question", "pbi_blocked"]);
  const refusal = await refusalOf(world.start());
  expect(refusal.message).toContain("Task T-1 has no implementation plan.");
  expect(refusal.message).toContain("PBI PBI-1 is blocked.");
});

it("The pre-flight names a sprint that is not active and one without unfinished tasks", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const planned = await create(world.actor, "create_sprint", { p_product_id: world.product.id });
  const preflight = await preflightSprintRun(world.actor, { sprint_id: planned.id });
  expect(preflight.blockers.map((b) => b.type)).toEqual(["sprint_not_active", "no_tasks"]);
  expect(await statusOf(startSprintRun(world.actor, { sprint_id: planned.id }))).toBe(409);
});

it("A user may start at most 30 runs a minute", async () => {
  const world = await t.seedSprint({ stories: [1] });
  await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
      values ('enqueue', ${world.owner.id}, now(), 29)`;
  const last = await world.start();
  await cancelSprintRun(world.actor, { sprint_run_id: last.id });
  const refusal = await refusalOf(world.start());
  expect(refusal.status).toBe(429);
  expect(refusal.retryAfter).toBeGreaterThan(0);
});

it.each(["SPRINT", "SPRINT_BATCH"] as const)(
  "A failed %s sprint that people finished by hand is resumed without a run and can be completed",
  async (strategy) => {
    const { actor, sprint, tasks } = await t.seedSprint({ stories: [1], strategy });
    const sprint_id = sprint.id;
    await startSprintRun(actor, { sprint_id });
    const job = await claim(actor);
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "failed" });
    expect(await t.columnOf("sprints", sprint_id, "status")).toBe("FAILED");
    const task_id = at(tasks, 0).id;
    if ((await t.columnOf("tasks", task_id, "status")) !== "DONE") {
      await t.query`update public.tasks set status = 'DONE' where id = ${task_id}`;
    }
    expect(await resumeSprint(actor, { sprint_id })).toBeNull();
    expect(await t.columnOf("sprints", sprint_id, "status")).toBe("ACTIVE");
    expect((await completeSprint(actor, { sprint_id })).status).toBe("completed");
  },
);

it("A failed sprint resumes without what failed and what that blocks, and is active if nothing is left", async () => {
  const { actor, sprint, tasks } = await t.seedSprint({ stories: [2, 1] });
  const sprint_id = sprint.id;
  const [first, second, third] = tasks.map(({ id }) => id);
  await addDependency(actor, { kind: "task", id: second ?? "", blocked_by: first ?? "" });
  await startSprintRun(actor, { sprint_id });
  const fail = async () => {
    const job = await claim(actor);
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "failed" });
    return job.task_id;
  };
  expect(await fail()).toBe(first);
  const run = await resumeSprint(actor, { sprint_id, skip_failed: true });
  expect(run?.jobs_total).toBe(1);
  expect(await t.columnOf("tasks", first ?? "", "status")).toBe("TO_DO");
  expect(await fail()).toBe(third);
  await t.query`update public.tasks set status = 'DONE' where id = any (${[first, second]})`;
  expect(await resumeSprint(actor, { sprint_id, skip_failed: true })).toBeNull();
  expect(await t.columnOf("sprints", sprint_id, "status")).toBe("ACTIVE");
});
