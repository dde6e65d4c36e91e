import { expect, it } from "vitest";
import { claimAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { getSprintRun, pauseSprintRun } from "~/nouns/sprint-runs/operations.server";
import { listAgentWorkers, workerHeartbeat } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create, type SprintWorld, wait } from "../../setup/world";

const t = await createTestDatabase();

async function startedRun() {
  const world = await t.seedSprint({ stories: [2] });
  const run = await world.start();
  const { jobs } = await getSprintRun(world.actor, { sprint_run_id: run.id });
  const why = async (kind: "job" | "task" | "run", id: string) => {
    const answer = await whyNotMoving(world.actor, { kind, id });
    expect(answer.text?.length).toBeGreaterThan(10);
    return answer;
  };
  const codes = async (kind: "job" | "task" | "run", id: string) =>
    (await why(kind, id)).reasons.map(({ code }) => code);
  return { world, run, first: at(jobs, 0).id, second: at(jobs, 1).id, why, codes };
}

it("A job that no worker is online for says so, and its task and run say it too", async () => {
  const { first, run, world, codes } = await startedRun();
  expect(await codes("job", first)).toEqual(["no_worker"]);
  expect(await codes("run", run.id)).toEqual(["no_worker"]);
  expect(await codes("task", at(world.tasks, 0).id)).toEqual(["no_worker"]);
});

it("A job says that every worker online is under its quota", async () => {
  const { world, first, codes } = await startedRun();
  await workerHeartbeat(world.actor, { worker: "w", quota_pct: 5 });
  expect(await codes("job", first)).toEqual(["quota"]);
  await workerHeartbeat(world.actor, { worker: "w", quota_pct: 50 });
  expect(await codes("job", first)).toEqual(["ready"]);
  await workerHeartbeat(world.actor, { worker: "w", stopped: true });
  expect(await codes("job", first)).toEqual(["no_worker"]);
});

it("A held job says who holds it and until when, and the next one that it waits for its turn", async () => {
  const { world, first, second, run, why } = await startedRun();
  const job = await claim(world.actor, "worker-9");
  const held = await why("job", first);
  expect(held.moving).toBe(true);
  expect(held.reasons).toMatchObject([{ code: "lease", worker_name: "worker-9", lease_until: job.lease_until }]);
  expect((await why("run", run.id)).moving).toBe(true);
  const waiting = await why("job", second);
  expect(waiting.reasons).toMatchObject([{ code: "order", job_id: first }]);
  expect(waiting.text).toContain("T-1");
});

it("A job says that its run is paused or that a rate limit holds it back", async () => {
  const { world, first, run, codes } = await startedRun();
  await workerHeartbeat(world.actor, { worker: "w" });
  await t.query`update public.agent_jobs set not_before = now() + interval '1 hour' where id = ${first}`;
  expect(await codes("job", first)).toEqual(["not_before"]);
  await pauseSprintRun(world.actor, { sprint_run_id: run.id, reason: "merge_conflict" });
  expect(await codes("job", first)).toEqual(["paused", "not_before"]);
});

it("A task says that it has no run, has no sprint, or has nothing left to do", async () => {
  const { world, run, codes, first } = await startedRun();
  const task = at(world.tasks, 0).id;
  const story = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Elsewhere" });
  const loose = await create(world.actor, "create_task", { p_story_id: story.id, p_title: "T" });
  expect(await codes("task", loose.id)).toEqual(["no_sprint"]);
  await create(world.actor, "add_story_to_sprint", { p_sprint_id: world.sprint.id, p_story_id: story.id });
  expect(await codes("task", loose.id)).toEqual(["no_run"]);
  await t.query`update public.tasks set status = 'FAILED' where id = ${task}`;
  expect(await codes("task", task)).toEqual(["failed"]);
  expect(await codes("run", run.id)).toEqual(["finished"]);
  expect(await codes("job", first)).toEqual(["finished"]);
  await t.query`update public.tasks set status = 'REVIEW' where id = ${task}`;
  expect(await codes("task", task)).toEqual(["review"]);
  await t.query`update public.tasks set status = 'DONE' where id = ${task}`;
  expect(await codes("task", task)).toEqual(["finished"]);
});

const seeds = Array.from({ length: 64 }, (_, n) => n * 31 + 7);

/** What can keep a job that is in turn from being claimed: how it comes about, bit by bit of a number. */
const obstacles: ((world: SprintWorld, jobId: string) => Promise<unknown>)[] = [
  ({ product }) => t.query`update public.products set archived_at = now() where id = ${product.id}`,
  (_, jobId) =>
    t.query`
      update public.sprint_runs r set status = 'PAUSED', pause_context = '{"reason": "manual"}'
      from public.agent_jobs j where j.id = ${jobId} and r.id = j.sprint_run_id`,
  (_, jobId) =>
    t.query`update public.agent_jobs set not_before = now() + interval '1 hour',
      failure_class = 'rate_limited' where id = ${jobId}`,
  ({ product }) => t.query`update public.products set requires_sandbox = true where id = ${product.id}`,
  (_, jobId) =>
    t.sql.query(
      `with q as (insert into public.agent_questions (product_id, story_id, job_id, question, expires_at)
         select j.product_id, t.story_id, j.id, 'Which one?', now() + interval '1 day'
         from public.agent_jobs j join public.tasks t on t.id = j.task_id where j.id = $1 returning id)
       update public.agent_jobs j set parked_question_id = q.id from q where j.id = $1`,
      [jobId],
    ),
  ({ product }) => t.query`update public.products set agent = 'codex' where id = ${product.id}`,
];

it.each(seeds)("A claim that finds nothing gives a reason that the job itself gives (%i)", async (seed) => {
  const world = await t.seedSprint({ stories: [1] });
  const run = await world.start();
  const rows = await t.query<{ id: string }>`select id from public.agent_jobs where sprint_run_id = ${run.id}`;
  const job = at(rows, 0).id;
  for (const [bit, come] of obstacles.entries()) {
    if (seed & (1 << bit)) await come(world, job);
  }
  const named = seed % 2 === 0 ? { product_id: world.product.id } : {};
  const claimed = await claimAgentJob(world.actor, { worker: "worker-1", ...named });
  const { reasons } = await whyNotMoving(world.actor, { kind: "job", id: job });
  const codes = reasons.map(({ code }) => code);
  if (claimed.job) expect(codes).toEqual(["lease"]);
  else expect(codes).toContain(claimed.reason?.code);
});

it("A claim in an archived product says that it is archived, also where a task waits for another", async () => {
  const world = await t.seedSprint({ stories: [2] });
  await wait(world.actor, at(world.tasks, 0), at(world.tasks, 1));
  await world.start();
  await t.query`update public.products set archived_at = now() where id = ${world.product.id}`;
  const archived = { code: "archived", message: expect.stringContaining("2 queued") };
  for (const named of [{}, { product_id: world.product.id }]) {
    const { reason } = await claimAgentJob(world.actor, { worker: "worker-1", ...named });
    expect(reason).toMatchObject(archived);
  }
});

it("A run says that no worker takes its product while one that is online takes only another", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const run = await world.start();
  const other = await t.seedBacklog(world.owner);
  const worker = { worker: "elsewhere" };
  await claimAgentJob(world.actor, { ...worker, product_id: other.product.id });
  const read = async () => {
    const { reasons } = await whyNotMoving(world.actor, { kind: "run", id: run.id });
    const { workers } = await listAgentWorkers(world.actor, { product_id: world.product.id });
    return { reason: reasons[0], takes: workers[0]?.takes_product };
  };
  const { reason, takes } = await read();
  expect({ code: reason?.code, takes }).toEqual({ code: "no_worker", takes: false });
  expect(reason?.message).toContain(`No worker takes ${world.product.name}: 1 online`);
  expect(reason?.command).toContain(`--product ${world.product.code}`);
  await workerHeartbeat(world.actor, { ...worker, product_id: world.product.id });
  expect(await read()).toMatchObject({ reason: { code: "ready" }, takes: true });
  await claimAgentJob(world.actor, { ...worker, kinds: ["PLAN_CHAT"] });
  expect(await read()).toMatchObject({ reason: { code: "ready" }, takes: true });
});

it("A job to be tried again after a failed attempt is not said to wait for a rate limit", async () => {
  const world = await t.seedSprint({ stories: [1] });
  await world.start();
  await t.query`update public.agent_jobs set not_before = now() + interval '1 hour',
      failure_class = 'agent_error' where product_id = ${world.product.id}`;
  const { reason } = await claimAgentJob(world.actor, { worker: "worker-1" });
  expect(reason?.message).toBe("1 queued, none available now: 1 waits to be tried again.");
  const task = { kind: "task" as const, id: at(world.tasks, 0).id };
  expect((await whyNotMoving(world.actor, task)).reasons[0]?.message).toContain("can be tried again at");
});
