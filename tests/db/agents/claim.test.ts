import pg from "pg";
import { expect, it } from "vitest";
import {
  cancelAgentJob,
  checkQueueEmpty,
  claimAgentJob,
  getAgentJob,
  listAgentJobs,
  reportAgentJob,
} from "~/nouns/agent-jobs/operations.server";
import { allowMyWorkers } from "~/nouns/products/operations.server";
import { pauseSprintRun } from "~/nouns/sprint-runs/operations.server";
import { listAgentWorkers, workerHeartbeat } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const done = { status: "done", verify_result: "ALIGNED" } as const;

it("A claim gives a job its attempt, lease, and plan, starts the task, and sets the run to running", async () => {
  const world = await t.seedSprint();
  const run = await world.start();
  const before = Date.now();
  const job = await claim(world.actor);
  expect(job).toMatchObject({
    kind: "TASK_IMPLEMENTATION",
    status: "claimed",
    attempt: 1,
    retry_count: 0,
    plan: "Change src/part-1-1.ts",
    branch: run.branch,
    repo_url: "https://example.com/ledger",
    heartbeat_seconds: 60,
    product: { id: world.product.id, definition_of_done: "Reviewed and released" },
    run: { id: run.id, sprint_code: "SP-1", sprint_goal: "Goal" },
    task: { id: at(world.tasks, 0).id, code: "T-1", verify_required: "ALIGNED_OR_PARTIAL" },
    story: { id: at(world.stories, 0).id, acceptance_criteria: "- [ ] Works", pbi_code: "PBI-1" },
    executions: null,
    questions: [],
  });
  const lease = Date.parse(job.lease_until) - before;
  expect(lease).toBeGreaterThan(295_000);
  expect(lease).toBeLessThan(310_000);
  expect(await t.columnOf("agent_jobs", job.id, "plan_snapshot")).toBe("Change src/part-1-1.ts");
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["IN_PROGRESS", "TO_DO", "TO_DO"]);
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("RUNNING");
});

it("A claim takes the plan as it is then, and keeps it when the task is edited afterwards", async () => {
  const world = await t.seedSprint();
  await world.start();
  const edit = (plan: string) =>
    t.query`update public.tasks set implementation_plan = ${plan} where id = ${at(world.tasks, 0).id}`;
  await edit("Better plan");
  const job = await claim(world.actor);
  await edit("Too late");
  expect((await getAgentJob(world.actor, { job_id: job.id })).plan_snapshot).toBe("Better plan");
});

it("A claim looks at one job of a product, however many can be claimed", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: Array(12).fill(1) });
  await world.start();
  const administrator = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await administrator.connect();
  await administrator.query("set track_functions = 'all'; begin");
  await administrator.query("select public.call_as($1, 'claim_agent_job', $2)", [
    { user_id: world.owner.id },
    { p_worker: "worker-1" },
  ]);
  const { rows } = await administrator.query(
    "select calls::int from pg_stat_xact_user_functions where funcname = 'worker_gates'",
  );
  await administrator.end();
  // Once to find the product, once to take the job.
  expect(rows).toEqual([{ calls: 2 }]);
});

it("Jobs of a branch are given out one after another under SPRINT", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  await world.start();
  for (const [n, task] of world.tasks.entries()) {
    const job = await claim(world.actor);
    expect(job.task?.id).toBe(task.id);
    expect(await claimRefusal(world.actor, "worker-2")).toBe(n < 2 ? "order" : "empty");
    await reportAgentJob(world.actor, { job_id: job.id, attempt: job.attempt, ...done });
  }
  expect(await claimRefusal(world.actor)).toBe("empty");
});

it("Stories are worked on side by side under STORY, and the tasks of each in order", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2, 2] });
  await world.start();
  const first = await claim(world.actor, "worker-1");
  const second = await claim(world.actor, "worker-2");
  expect([first.task?.id, second.task?.id]).toEqual([
    at(at(world.stories, 0).tasks, 0).id,
    at(at(world.stories, 1).tasks, 0).id,
  ]);
  expect(await claimRefusal(world.actor, "worker-3")).toBe("order");
  await reportAgentJob(world.actor, { job_id: second.id, attempt: 1, ...done });
  const third = await claim(world.actor, "worker-3");
  expect(third.task?.id).toBe(at(at(world.stories, 1).tasks, 1).id);
});

it("A claim takes the oldest run first, and only in products where the user allowed their workers", async () => {
  const older = await t.seedSprint({ stories: [1] });
  const newer = await t.seedSprint({ stories: [1] });
  const foreign = await t.seedSprint({ stories: [1] });
  const worker = await t.createUser();
  for (const { product } of [older, newer]) {
    await t.addMember(product.id, worker);
    await allowMyWorkers(t.actorOf(worker), { product_id: product.id, allowed: true });
  }
  for (const world of [foreign, older, newer]) {
    await world.start();
  }
  const actor = t.actorOf(worker);
  expect((await claim(actor)).product.id).toBe(older.product.id);
  expect((await claim(actor)).product.id).toBe(newer.product.id);
  expect(await claimRefusal(actor)).toBe("empty");
  expect(await statusOf(claimAgentJob(actor, { worker: "w", product_id: foreign.product.id }))).toBe(403);
});

it("A claim gets nothing from an archived product or a paused run", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const run = await world.start();
  await t.query`update public.products set archived_at = now() where id = ${world.product.id}`;
  await claimRefusal(world.actor);
  await t.query`update public.products set archived_at = null where id = ${world.product.id}`;
  await pauseSprintRun(world.actor, { sprint_run_id: run.id });
  expect(await claimRefusal(world.actor)).toBe("paused");
});

it("A claim names the repository of the task where it has one of its own", async () => {
  const address = "https://example.com/other";
  const world = await t.seedSprint({ stories: [1], task: { p_repo_url: address } });
  await world.start();
  const wish = { worker: "worker-1", also_repos: [address] };
  expect((await claimAgentJob(world.actor, wish)).job?.repo_url).toBe(address);
});

it("A task moves to in progress also when its job is inserted as CLAIMED or RUNNING", async () => {
  const world = await t.seedSprint({ stories: [2] });
  const run = await world.start();
  for (const [n, status] of (["CLAIMED", "RUNNING"] as const).entries()) {
    await t.query`
        insert into public.agent_jobs (product_id, task_id, kind, status, sprint_run_id, lane_id)
        values (${world.product.id}, ${at(world.tasks, n).id}, 'TASK_IMPLEMENTATION', ${status}, ${run.id}, gen_random_uuid())`;
  }
  expect(await t.statusesOf("tasks", world.tasks)).toEqual(["IN_PROGRESS", "IN_PROGRESS"]);
});

it("A worker below its user's quota threshold gets no job, is told why, and gets one once it is above", async () => {
  const world = await t.seedSprint({ stories: [1] });
  await world.start();
  await t.query`update public.users set min_quota_pct = 30 where id = ${world.owner.id}`;
  const refused = await claimAgentJob(world.actor, { worker: "w", quota_pct: 29 });
  expect(refused.job).toBeNull();
  expect(refused.reason?.code).toBe("quota");
  expect(refused.reason?.message).toContain("29%");
  expect((await claimAgentJob(world.actor, { worker: "w" })).reason?.code).toBe("quota");
  const beat = await workerHeartbeat(world.actor, { worker: "w", quota_pct: 30 });
  expect(beat).toMatchObject({
    may_claim: true,
    reason: null,
    worker: { last_quota_pct: 30, online: true, min_quota_pct: 30 },
  });
  const { job } = await claimAgentJob(world.actor, { worker: "w" });
  const { workers } = await listAgentWorkers(world.actor, { product_id: world.product.id });
  expect(workers).toHaveLength(1);
  expect(workers[0]).toMatchObject({ name: "w", current_job_id: job?.id });
  expect(workers[0]?.current_job?.id).toBe(job?.id);
  expect(workers[0]?.last_quota_check_at).not.toBeNull();
});

it("A job can be cancelled only while queued, and the next one of its branch takes its turn", async () => {
  const world = await t.seedSprint({ stories: [2] });
  const run = await world.start();
  const { jobs } = await listAgentJobs(world.actor, { sprint_run_id: run.id });
  const first = at(jobs, 0);
  const cancelled = await cancelAgentJob(world.actor, { job_id: first.id });
  expect(cancelled.status).toBe("cancelled");
  expect(cancelled.finished_at).not.toBeNull();
  expect((await cancelAgentJob(world.actor, { job_id: first.id })).status).toBe("cancelled");
  const job = await claim(world.actor);
  expect(job.id).toBe(at(jobs, 1).id);
  expect(await statusOf(cancelAgentJob(world.actor, { job_id: job.id }))).toBe(409);
  await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, ...done });
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
  expect(await statusOf(cancelAgentJob(world.actor, { job_id: job.id }))).toBe(409);
  expect(await t.columnOf("tasks", at(world.tasks, 0).id, "status")).toBe("TO_DO");
});

it("The queue says whether anything is left and who holds a job", async () => {
  const world = await t.seedSprint({ stories: [3] });
  expect(await checkQueueEmpty(world.actor, {})).toMatchObject({ empty: true, queued: 0 });
  await world.start();
  const full = { empty: false, claimable: true, queued: 3, held: 0, reason: null };
  expect(await checkQueueEmpty(world.actor, {})).toMatchObject(full);
  await claim(world.actor);
  const rest = { claimable: false, queued: 2, held: 1, reason: { code: "order" } };
  expect(await checkQueueEmpty(world.actor, { product_id: world.product.id })).toMatchObject(rest);
  const held = await listAgentJobs(world.actor, { state: "claimed" });
  expect(held.jobs.map((job) => job.worker_name)).toEqual(["worker-1"]);
  expect((await listAgentJobs(t.actorOf(await t.createUser()), {})).jobs).toEqual([]);
});
