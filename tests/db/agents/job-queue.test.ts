import { expect, it } from "vitest";
import { cancelAgentJob, checkQueueEmpty, listAgentJobs, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();
const done = { status: "done", verify_result: "ALIGNED" } as const;

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
  expect(await checkQueueEmpty(world.actor, {})).toMatchObject({
    empty: false,
    claimable: true,
    queued: 3,
    held: 0,
    reason: null,
  });
  await claim(world.actor);
  expect(await checkQueueEmpty(world.actor, { product_id: world.product.id })).toMatchObject({
    claimable: false,
    queued: 2,
    held: 1,
    reason: { code: "order" },
  });
  const held = await listAgentJobs(world.actor, { state: "claimed" });
  expect(held.jobs.map((job) => job.worker_name)).toEqual(["worker-1"]);
  expect((await listAgentJobs(t.actorOf(await t.createUser()), {})).jobs).toEqual([]);
});
